import com.acme.frameworks.Dumps;
import java.util.ArrayList;
import java.util.List;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;

/** A context with singletons, a factory bean and prototypes. Arguments: two dumps. */
public final class Beans {
    private Beans() {
    }

    public static void main(String[] args) throws Exception {
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        context.setId("orders");
        context.register(Wiring.class);
        context.refresh();
        List<Report> reports = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            reports.add(context.getBean(Report.class));
        }
        Dumps.KEPT.put("reports", reports);
        Dumps dumps = new Dumps();
        String name = "spring.context[orders]";
        dumps.belongs(name, context);
        dumps.belongs(name, context.getBeanFactory());
        reports.forEach(report -> dumps.belongs(name + ".prototype[report]", report));
        for (String bean : context.getBeanFactory().getSingletonNames()) {
            dumps.belongs(name + ".bean[" + bean + "]", context.getBeanFactory().getSingleton(bean));
        }
        dumps.belongs(name + ".bean[rates]", context.getBean("rates"));
        dumps.belongs(name + ".bean[rates]", context.getBean("&rates"));
        dumps.write(args);
        context.close();
    }

    static final class Catalog {
        final byte[] products = new byte[300_000];
    }

    static final class Orders {
        final Catalog catalog;
        final byte[] open = new byte[150_000];

        Orders(Catalog catalog) {
            this.catalog = catalog;
        }
    }

    static final class Rates {
        final byte[] table = new byte[80_000];
    }

    static final class RatesFactory implements FactoryBean<Rates> {
        @Override
        public Rates getObject() {
            return new Rates();
        }

        @Override
        public Class<?> getObjectType() {
            return Rates.class;
        }

        @Override
        public boolean isSingleton() {
            return true;
        }
    }

    static final class Report {
        final byte[] pages = new byte[50_000];
    }

    @Configuration(proxyBeanMethods = false)
    static class Wiring {
        @Bean
        Catalog catalog() {
            return new Catalog();
        }

        @Bean
        Orders orderService(Catalog catalog) {
            return new Orders(catalog);
        }

        @Bean
        RatesFactory rates() {
            return new RatesFactory();
        }

        @Bean
        @Scope("prototype")
        Report report() {
            return new Report();
        }
    }
}
