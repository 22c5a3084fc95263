import com.acme.frameworks.Dumps;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/** A web server with a web application and sessions. Arguments: two dumps, the package of Jetty's servlets. */
public final class Site {
    private Site() {
    }

    public static void main(String[] args) throws Exception {
        Server server = new Server(0);
        Class<?> type = Class.forName(args[2] + ".ServletContextHandler");
        Object context = type.getConstructor(int.class).newInstance(type.getField("SESSIONS").getInt(null));
        type.getMethod("setContextPath", String.class).invoke(context, "/shop");
        type.getMethod("addServlet", Class.class, String.class).invoke(context, Shop.class, "/*");
        Server.class.getMethod("setHandler", Handler.class).invoke(server, context);
        server.start();
        int port = ((ServerConnector) server.getConnectors()[0]).getLocalPort();
        for (int visitor = 0; visitor < 3; visitor++) {
            HttpURLConnection connection = (HttpURLConnection)
                    URI.create("http://127.0.0.1:" + port + "/shop/?visitor=" + visitor).toURL().openConnection();
            connection.setRequestProperty("Connection", "close");
            if (connection.getResponseCode() != 200) {
                throw new IOException("answer " + connection.getResponseCode());
            }
        }
        new Dumps().write(new String[] {args[0], args[1]});
        server.stop();
    }

    /** Public for Jetty, which constructs it. */
    public static final class Shop extends HttpServlet {
        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            request.getSession().setAttribute("cart", new byte[100_000]);
            response.getWriter().println("ok");
        }
    }
}
