import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** A server whose sessions never end: {@link #SESSIONS} holds its memory. Five more every two milliseconds. */
public class Shop {
    static final Map<Integer, Session> SESSIONS = new ConcurrentHashMap<>();

    static class Session {
        final byte[] basket = new byte[2_000];
    }

    public static void main(String[] arguments) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        server.createContext("/", exchange -> exchange.sendResponseHeaders(204, -1));
        server.start();
        for (int id = 0; id < 20_000; id++) {
            login(id);
        }
        System.out.println("ready");
        for (int id = 20_000; ; id++) {
            login(id);
            if (id % 5 == 0) {
                Thread.sleep(2);
            }
        }
    }

    private static void login(int id) {
        SESSIONS.put(id, new Session());
    }
}
