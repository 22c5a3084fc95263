import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.catalina.Context;
import org.apache.catalina.startup.Tomcat;

/** A web server whose visitors keep carts in their sessions; looked at while it waits for the next one. */
public final class Site {
    private static final int VISITORS = 300;

    private Site() {
    }

    public static void main(String[] args) throws Exception {
        Path base = Files.createTempDirectory("site");
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(base.toString());
        tomcat.setPort(0);
        Context context = tomcat.addContext("", base.toString());
        Tomcat.addServlet(context, "shop", new Shop());
        context.addServletMappingDecoded("/", "shop");
        tomcat.getConnector();
        tomcat.start();
        try {
            int port = tomcat.getConnector().getLocalPort();
            for (int visitor = 0; visitor < VISITORS; visitor++) {
                visit(port, visitor);
            }
            System.out.println(context.getManager().getActiveSessions() + " sessions");
            Quiet.point(Path.of(args[0]));
        } finally {
            tomcat.stop();
            tomcat.destroy();
        }
    }

    private static void visit(int port, int visitor) throws IOException {
        HttpURLConnection connection = (HttpURLConnection)
                URI.create("http://127.0.0.1:" + port + "/?visitor=" + visitor).toURL().openConnection();
        connection.setRequestProperty("Connection", "close");
        if (connection.getResponseCode() != 200) {
            throw new IOException("answer " + connection.getResponseCode());
        }
        connection.getInputStream().readAllBytes();
    }

    static final class Cart {
        final List<String> items = new ArrayList<>();
        final byte[] picture = new byte[10_000];
    }

    static final class Shop extends HttpServlet {
        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            Cart cart = new Cart();
            cart.items.add("item of " + request.getParameter("visitor"));
            request.getSession().setAttribute("cart", cart);
            response.getWriter().println("ok");
        }
    }
}
