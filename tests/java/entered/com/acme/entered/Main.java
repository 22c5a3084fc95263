package com.acme.entered;

import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.springframework.kafka.listener.adapter.HandlerAdapter;
import org.springframework.kafka.listener.adapter.RecordMessagingMessageListenerAdapter;
import org.springframework.messaging.handler.annotation.support.DefaultMessageHandlerMethodFactory;
import org.springframework.web.method.support.InvocableHandlerMethod;

/** Calls the entries of frameworks as they call them, so often as each line of its input says, and answers {@code done}. */
public final class Main {
    private static final ExecutorService POOL = Executors.newFixedThreadPool(2);

    private Main() {
    }

    /** What is done for somebody. */
    static final class Work {
        static void done() {
        }

        static void queued() {
        }

        static void later() {
        }
    }

    /** Of five requests three are of anna. */
    static final class Page extends HttpServlet {
        private static final long serialVersionUID = 1;

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) {
            Work.done();
            try {
                POOL.submit(Work::queued).get();
            } catch (InterruptedException | ExecutionException e) {
                throw new IllegalStateException(e);
            }
            CompletableFuture.runAsync(Work::later).join();
            if (request.getRemoteUser().equals("mallory")) {
                throw new IllegalStateException("mallory");
            }
        }
    }

    /** Of Spring MVC, and of Kafka. */
    public static final class Controller {
        public String orders() {
            return "orders";
        }

        public void heard(String text) {
            Work.done();
        }
    }

    public static void main(String[] args) throws Exception {
        // The pool's threads are there before anybody opens a scope.
        POOL.submit(Work::queued).get();
        POOL.submit(Work::queued).get();
        CompletableFuture.runAsync(Work::later).join();
        Page page = new Page();
        Controller controller = new Controller();
        DefaultMessageHandlerMethodFactory factory = new DefaultMessageHandlerMethodFactory();
        factory.afterPropertiesSet();
        RecordMessagingMessageListenerAdapter<String, String> listener = new RecordMessagingMessageListenerAdapter<>(
                controller, Controller.class.getMethod("heard", String.class));
        listener.setHandlerMethod(new HandlerAdapter(
                factory.createInvocableHandlerMethod(controller, Controller.class.getMethod("heard", String.class))));
        InvocableHandlerMethod handler = new InvocableHandlerMethod(controller, Controller.class.getMethod("orders"));
        Map<String, Connection> databases = Map.of("h2", DriverManager.getConnection("jdbc:h2:mem:a"),
                "hsqldb", DriverManager.getConnection("jdbc:hsqldb:mem:a"), "sqlite", DriverManager.getConnection("jdbc:sqlite::memory:"));
        System.out.println("ready");
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            String[] words = line.split(" ");
            for (int i = 0; i < Integer.parseInt(words[1]); i++) {
                switch (words[0]) {
                    case "serve":
                        serve(page, i % 5 < 3 ? "anna" : i % 5 == 3 ? "bob" : "mallory");
                        break;
                    case "handle":
                        handler.invokeForRequest(null, null);
                        break;
                    case "listen":
                        listener.onMessage(new ConsumerRecord<>("bills", 0, i, "key", "value"), null, null);
                        break;
                    default:
                        try (PreparedStatement ask = databases.get(words[0]).prepareStatement("values (?)")) {
                            ask.setInt(1, i);
                            ask.executeQuery().close();
                        }
                        break;
                }
            }
            System.out.println("done");
        }
        System.exit(0);
    }

    private static void serve(Page page, String user) throws Exception {
        try {
            page.service((ServletRequest) request(HttpServletRequest.class, user), (ServletResponse) request(HttpServletResponse.class, user));
        } catch (IllegalStateException expected) {
            // Of mallory.
        }
    }

    private static Object request(Class<?> type, String user) {
        return Proxy.newProxyInstance(Main.class.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
            switch (method.getName()) {
                case "getMethod":
                    return "GET";
                case "getServletPath":
                    return "/orders";
                case "getContextPath":
                    return "/shop";
                case "getRemoteUser":
                    return user;
                case "getRequestedSessionId":
                    return "session of " + user;
                default:
                    return method.getReturnType() == long.class ? (Object) 0L : null;
            }
        });
    }
}
