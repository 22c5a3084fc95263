package com.acme.clinic;

import com.acme.frameworks.Dumps;
import com.zaxxer.hikari.HikariDataSource;
import jakarta.persistence.Cacheable;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import java.net.HttpURLConnection;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import org.apache.catalina.Container;
import org.apache.catalina.Session;
import org.apache.catalina.core.StandardContext;
import org.apache.tomcat.util.threads.ThreadPoolExecutor;
import org.hibernate.annotations.Cache;
import org.hibernate.annotations.CacheConcurrencyStrategy;
import org.hibernate.cache.jcache.internal.JCacheAccessImpl;
import org.hibernate.cache.spi.CacheImplementor;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.web.embedded.tomcat.TomcatWebServer;
import org.springframework.boot.web.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.stereotype.Component;
import org.springframework.stereotype.Service;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** A Spring Boot application on Tomcat, JPA with a second-level cache, and a pool. Arguments: two dumps. */
@SpringBootApplication
public class Clinic {
    private static final int OWNERS = 30;

    public static void main(String[] args) throws Exception {
        System.setProperty("server.port", "0");
        System.setProperty("spring.main.banner-mode", "off");
        System.setProperty("spring.jpa.open-in-view", "false");
        System.setProperty("spring.jpa.properties.hibernate.cache.use_second_level_cache", "true");
        System.setProperty("spring.jpa.properties.hibernate.cache.region.factory_class", "jcache");
        System.setProperty("spring.jpa.properties.hibernate.javax.cache.missing_cache_strategy", "create");
        ServletWebServerApplicationContext context =
                (ServletWebServerApplicationContext) SpringApplication.run(Clinic.class);
        Owners owners = context.getBean(Owners.class);
        for (long id = 1; id <= OWNERS; id++) {
            owners.save(new Owner(id, "x".repeat(10_000)));
        }
        for (long id = 1; id <= OWNERS; id++) {
            owners.findById(id);
        }
        TomcatWebServer server = (TomcatWebServer) context.getWebServer();
        for (int i = 0; i < 3; i++) {
            visit(server.getPort());
        }
        awaitIdle(server);
        List<Report> reports = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            reports.add(context.getBean(Report.class));
        }
        Dumps.KEPT.put("reports", reports);
        Dumps dumps = new Dumps();
        library(dumps, context);
        web(dumps, server);
        beans(dumps, context, reports);
        dumps.write(args);
        context.close();
    }

    private static void visit(int port) throws Exception {
        HttpURLConnection connection =
                (HttpURLConnection) URI.create("http://127.0.0.1:" + port + "/").toURL().openConnection();
        connection.setRequestProperty("Connection", "close");
        if (connection.getResponseCode() != 200) {
            throw new IllegalStateException("answer " + connection.getResponseCode());
        }
        connection.getInputStream().readAllBytes();
    }

    /** An answer arrives before the worker's frames, which hold beans too, are gone: until no worker works. */
    private static void awaitIdle(TomcatWebServer server) throws InterruptedException {
        ThreadPoolExecutor workers =
                (ThreadPoolExecutor) server.getTomcat().getConnector().getProtocolHandler().getExecutor();
        while (workers.getActiveCount() > 0) {
            Thread.sleep(10);
        }
    }

    private static void library(Dumps dumps, ServletWebServerApplicationContext context) throws Exception {
        HikariDataSource source = context.getBean(HikariDataSource.class);
        String pool = "jdbc.hikari[" + source.getPoolName() + "]";
        Object bag = Dumps.field(source.getHikariPoolMXBean(), "connectionBag");
        dumps.belongs(pool, source.getHikariPoolMXBean());
        dumps.belongs(pool, bag);
        for (Object connection : (List<?>) Dumps.field(bag, "sharedList")) {
            dumps.belongs(pool + ".connections", connection);
        }
        SessionFactoryImplementor factory =
                context.getBean(EntityManagerFactory.class).unwrap(SessionFactoryImplementor.class);
        String name = "hibernate.factory[" + (factory.getName() != null ? factory.getName() : factory.getUuid()) + "]";
        CacheImplementor cache = factory.getCache();
        dumps.belongs(name, factory);
        dumps.belongs(name, cache);
        for (String region : cache.getCacheRegionNames()) {
            String component = name + ".region[" + region + "]";
            JCacheAccessImpl access = (JCacheAccessImpl) Dumps.field(cache.getRegion(region), "storageAccess");
            com.github.benmanes.caffeine.cache.Cache<?, ?> stored =
                    (com.github.benmanes.caffeine.cache.Cache<?, ?>) access.getUnderlyingCache().unwrap(com.github.benmanes.caffeine.cache.Cache.class);
            dumps.belongs(component, cache.getRegion(region));
            dumps.belongs(component, access);
            dumps.belongs(component, access.getUnderlyingCache());
            dumps.belongs(component, stored);
            dumps.belongs(component, stored.asMap());
        }
    }

    private static void web(Dumps dumps, TomcatWebServer server) throws Exception {
        for (Container child : server.getTomcat().getHost().findChildren()) {
            StandardContext context = (StandardContext) child;
            String name = "tomcat.context[" + context.getDisplayName() + "]";
            dumps.belongs(name, context);
            dumps.belongs(name, context.getLoader());
            dumps.belongs(name, context.getLoader().getClassLoader());
            dumps.belongs(name, context.getManager());
            dumps.belongs(name, context.getResources());
            dumps.belongs(name, context.getPipeline());
            dumps.belongs(name, context.getInstanceManager());
            dumps.belongs(name, Dumps.field(context.getServletContext(), "context"));
            for (Container servlet : context.findChildren()) {
                dumps.belongs(name + ".servlet[" + servlet.getName() + "]", servlet);
                Object instance = Dumps.field(servlet, "instance");
                if (instance != null) {
                    dumps.belongs(name + ".servlet[" + servlet.getName() + "]", instance);
                }
            }
            for (Session session : context.getManager().findSessions()) {
                String component = name + ".session[" + Dumps.secret(session.getId()) + "]";
                dumps.belongs(component, session);
                Object cart = session.getSession().getAttribute("scopedTarget.cart");
                dumps.belongs(component + ".attribute[scopedTarget.cart]", cart);
            }
        }
    }

    private static void beans(Dumps dumps, ServletWebServerApplicationContext context, List<Report> reports) {
        String name = "spring.context[" + context.getId() + "]";
        ConfigurableListableBeanFactory factory = context.getBeanFactory();
        dumps.belongs(name, context);
        dumps.belongs(name, factory);
        for (String bean : factory.getSingletonNames()) {
            dumps.belongs(name + ".bean[" + bean + "]", factory.getSingleton(bean));
            if (factory.containsBeanDefinition(bean) && factory.isFactoryBean(bean)) {
                dumps.belongs(name + ".bean[" + bean + "]", factory.getBean(bean));
                dumps.belongs(name + ".bean[" + bean + "]", factory.getBean("&" + bean));
            }
        }
        reports.forEach(report -> dumps.belongs(name + ".prototype[report]", report));
    }

    /** An entity of the second-level cache. */
    @Entity(name = "Owner")
    @Cacheable
    @Cache(usage = CacheConcurrencyStrategy.READ_WRITE, region = "owners")
    public static class Owner {
        @Id
        private long id;
        @Column(length = 20_000)
        private String notes;

        protected Owner() {
        }

        Owner(long id, String notes) {
            this.id = id;
            this.notes = notes;
        }
    }

    @Service
    static class Visits {
        final byte[] calendar = new byte[400_000];
    }

    /** A bean of the session scope. */
    @Component("cart")
    @Scope(value = "session", proxyMode = ScopedProxyMode.TARGET_CLASS)
    public static class Cart {
        private final byte[] items = new byte[100_000];

        public int size() {
            return items.length;
        }
    }

    @Component("report")
    @Scope("prototype")
    static class Report {
        final byte[] pages = new byte[50_000];
    }

    @RestController
    static class Pages {
        private final Cart cart;
        private final Visits visits;

        Pages(Cart cart, Visits visits) {
            this.cart = cart;
            this.visits = visits;
        }

        @GetMapping("/")
        String page() {
            return cart.size() + " " + visits.calendar.length;
        }
    }
}
