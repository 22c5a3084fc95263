import com.acme.frameworks.Dumps;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import org.apache.catalina.Context;
import org.apache.catalina.Session;
import org.apache.catalina.startup.Tomcat;

/** A web server with two web applications, each with its own classes. Arguments: two dumps, a folder of classes. */
public final class Sites {
    private Sites() {
    }

    public static void main(String[] args) throws Exception {
        Path base = Files.createTempDirectory("sites");
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(base.toString());
        tomcat.setPort(0);
        tomcat.setAddDefaultWebXmlToWebapp(false);
        tomcat.getConnector();
        Context shop = site(tomcat, base, args[2], "/shop");
        Context blog = site(tomcat, base, args[2], "/blog");
        tomcat.start();
        Dumps dumps = new Dumps();
        use(shop, 200_000, 3, dumps);
        use(blog, 500_000, 2, dumps);
        dumps.write(args);
        tomcat.stop();
        tomcat.destroy();
    }

    private static Context site(Tomcat tomcat, Path base, String classes, String path) throws Exception {
        Path folder = Files.createDirectories(base.resolve(path.substring(1)).resolve("WEB-INF/classes"));
        Files.copy(Paths.get(classes, "Counter.class"), folder.resolve("Counter.class"));
        return tomcat.addWebapp(path, base.resolve(path.substring(1)).toString());
    }

    /** Loads a class of the web application, makes sessions, and says what belongs to it. */
    private static void use(Context context, int bytes, int sessions, Dumps dumps) throws Exception {
        String name = "tomcat.context[" + context.getName() + "]";
        ClassLoader loader = context.getLoader().getClassLoader();
        Class<?> counter = Class.forName("Counter", true, loader);
        counter.getField("counts").set(null, new byte[bytes]);
        dumps.belongs(name, context);
        dumps.belongs(name, context.getLoader());
        dumps.belongs(name, loader);
        dumps.belongs(name, context.getManager());
        dumps.belongs(name, context.getResources());
        dumps.belongs(name, context.getPipeline());
        dumps.belongs(name, context.getNamingResources());
        dumps.belongs(name, context.getInstanceManager());
        dumps.belongs(name, Dumps.field(context.getServletContext(), "context"));
        for (org.apache.catalina.Container servlet : context.findChildren()) {
            dumps.belongs(name + ".servlet[" + servlet.getName() + "]", servlet);
        }
        for (int i = 0; i < sessions; i++) {
            Session session = context.getManager().createSession(null);
            Object cart = counter.getConstructor(int.class).newInstance(10_000 * (i + 1));
            session.getSession().setAttribute("cart", cart);
            String component = name + ".session[" + Dumps.secret(session.getId()) + "]";
            dumps.belongs(component, session);
            dumps.belongs(component + ".attribute[cart]", cart);
        }
    }
}
