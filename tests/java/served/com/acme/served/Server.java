package com.acme.served;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import java.util.function.IntToLongFunction;
import java.util.function.ObjIntConsumer;
import org.apache.catalina.Context;
import org.apache.catalina.startup.Tomcat;

/**
 * A page of Tomcat that asks a database, H2. Prints its port. For each line of its input it counts for a second how often
 * probes of traces call what they call, and prints that.
 *
 * <p>Needs {@code --add-opens java.base/java.lang=ALL-UNNAMED}.
 */
public final class Server {
    private static final String DATABASE = "jdbc:h2:mem:orders;DB_CLOSE_DELAY=-1";

    private Server() {
    }

    public static void main(String[] arguments) throws Exception {
        try (Connection connection = DriverManager.getConnection(DATABASE)) {
            connection.createStatement().execute("create table orders (id identity, customer varchar, total int)");
        }
        Path base = Files.createTempDirectory("served");
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(base.toString());
        tomcat.setPort(0);
        Context context = tomcat.addContext("", base.toString());
        Tomcat.addServlet(context, "page", new Page());
        context.addServletMappingDecoded("/page", "page");
        tomcat.getConnector();
        tomcat.start();
        System.out.println("port " + tomcat.getConnector().getLocalPort());
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        while (input.readLine() != null) {
            System.out.println("calls " + calls());
        }
        System.exit(0);
    }

    /** How often probes call within a second. */
    private static int calls() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        Class<?> traces = Class.forName("java.lang.Weighbridge$Traces");
        set(traces, "ENTER", (IntToLongFunction) id -> calls.incrementAndGet());
        set(traces, "MADE", (ObjIntConsumer<Object>) (made, id) -> calls.incrementAndGet());
        set(traces, "MISSING", (IntConsumer) id -> calls.incrementAndGet());
        // No page exists, so each probe site that is reached is missing.
        set(traces, "HITS", new boolean[128][2048][]);
        Thread.sleep(1000);
        set(traces, "ENTER", null);
        set(traces, "MADE", null);
        set(traces, "MISSING", null);
        set(traces, "HITS", null);
        return calls.get();
    }

    private static void set(Class<?> traces, String name, Object receiver) throws ReflectiveOperationException {
        Field field = traces.getDeclaredField(name);
        field.setAccessible(true);
        field.set(null, receiver);
    }

    static final class Page extends HttpServlet {
        private static final long serialVersionUID = 1;

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            String customer = request.getParameter("customer");
            StringBuilder page = new StringBuilder();
            try (Connection connection = DriverManager.getConnection(DATABASE)) {
                insert(connection, customer);
                PreparedStatement query = connection.prepareStatement(
                        "select customer, sum(total), count(*) from orders where id > (select max(id) from orders) - 50 group by customer");
                ResultSet orders = query.executeQuery();
                while (orders.next()) {
                    page.append(orders.getInt(3)).append(" orders of ").append(orders.getString(1)).append('\n');
                }
            } catch (SQLException e) {
                throw new IOException(e);
            }
            response.getWriter().print(page);
        }

        private static void insert(Connection connection, String customer) throws SQLException {
            PreparedStatement insert = connection.prepareStatement("insert into orders (customer, total) values (?, ?)");
            insert.setString(1, customer);
            insert.setInt(2, 7);
            insert.executeUpdate();
        }
    }
}
