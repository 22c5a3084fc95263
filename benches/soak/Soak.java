package soak;

import io.undertow.Undertow;
import io.undertow.servlet.Servlets;
import io.undertow.servlet.api.DeploymentManager;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.TestInputTopic;
import org.apache.kafka.streams.TestOutputTopic;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.state.Stores;

/**
 * A web server with sessions, a database, two scripting languages and streams, under load for as long as standard input is
 * open. Each part knows what every answer must be. Lines: {@code make N} constructs N {@link Counted}, {@code check} tells
 * the answers of each part and the wrong ones, {@code gc} the used bytes of the heap after a collection and of metaspace.
 */
public final class Soak {
    private static final Map<String, AtomicLong> ANSWERS = new ConcurrentHashMap<>();
    private static final AtomicLong WRONG = new AtomicLong();
    private static List<Counted> kept = List.of();

    private Soak() {
    }

    /** One round of a part: fails if an answer is wrong. */
    interface Part {
        void round() throws Exception;
    }

    static final class Counted {
        final long number;

        Counted(long number) {
            this.number = number;
        }
    }

    public static void main(String[] args) throws Exception {
        start("undertow", web());
        start("undertow2", web());
        start("derby", accounts());
        start("derby2", accounts());
        start("groovy", Soak::groovy);
        start("jruby", ruby());
        start("kafka", Soak::streams);
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        System.out.println("ready");
        for (String line; (line = lines.readLine()) != null;) {
            if (line.startsWith("make ")) {
                List<Counted> made = new ArrayList<>();
                for (int number = Integer.parseInt(line.substring(5)); number > 0; number--) {
                    made.add(new Counted(number));
                }
                kept = made;
                System.out.println("made " + made.size());
            } else if (line.equals("gc")) {
                System.gc();
                System.out.println("used " + (Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory()) + " "
                        + ManagementFactory.getPlatformMXBeans(MemoryPoolMXBean.class).stream()
                                .filter(pool -> pool.getName().equals("Metaspace")).findFirst().get().getUsage().getUsed());
            } else {
                System.out.println("wrong " + WRONG + " " + ANSWERS);
            }
        }
        Runtime.getRuntime().halt(0);
    }

    private static void start(String name, Part part) {
        AtomicLong answers = ANSWERS.computeIfAbsent(name, absent -> new AtomicLong());
        Thread thread = new Thread(() -> {
            while (true) {
                try {
                    part.round();
                    answers.incrementAndGet();
                    Thread.sleep(1);
                } catch (Throwable wrong) {
                    WRONG.incrementAndGet();
                    System.err.println("WRONG " + name);
                    wrong.printStackTrace();
                }
            }
        }, name);
        thread.setDaemon(true);
        thread.start();
    }

    static void same(Object expected, Object answer) {
        if (!expected.equals(answer)) {
            throw new IllegalStateException("expected " + expected + ", got " + answer);
        }
    }

    /** A visitor whose session counts its visits; a new one after 500. */
    private static Part web() throws Exception {
        DeploymentManager deployment = Servlets.defaultContainer().addDeployment(Servlets.deployment()
                .setClassLoader(Soak.class.getClassLoader()).setContextPath("/").setDeploymentName("shop")
                .addServlet(Servlets.servlet("shop", Shop.class).addMapping("/*")));
        deployment.deploy();
        Undertow server = Undertow.builder().setIoThreads(1).setWorkerThreads(4).addHttpListener(0, "127.0.0.1")
                .setHandler(deployment.start()).build();
        server.start();
        int port = ((InetSocketAddress) server.getListenerInfo().get(0).getAddress()).getPort();
        URI address = URI.create("http://127.0.0.1:" + port + "/visit");
        int[] visits = {0};
        String[] cookie = {null};
        return () -> {
            if (visits[0] == 500) {
                visits[0] = 0;
                cookie[0] = null;
            }
            HttpURLConnection connection = (HttpURLConnection) address.toURL().openConnection();
            if (cookie[0] != null) {
                connection.setRequestProperty("Cookie", cookie[0]);
            }
            String told = connection.getHeaderField("Set-Cookie");
            if (told != null) {
                cookie[0] = told.split(";")[0];
            }
            same(200, connection.getResponseCode());
            same(String.valueOf(++visits[0]), new String(connection.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
        };
    }

    /** Money moves between accounts: their sum stays. */
    private static Part accounts() throws SQLException {
        String name = "accounts" + ANSWERS.size();
        Connection connection = DriverManager.getConnection("jdbc:derby:memory:" + name + ";create=true");
        try (Statement statement = connection.createStatement()) {
            statement.execute("create table account (id int primary key, balance int not null)");
        }
        try (PreparedStatement insert = connection.prepareStatement("insert into account values (?, 100)")) {
            for (int id = 0; id < 50; id++) {
                insert.setInt(1, id);
                insert.execute();
            }
        }
        connection.setAutoCommit(false);
        Random random = new Random(1);
        return () -> {
            try (PreparedStatement move = connection.prepareStatement("update account set balance = balance + ? where id = ?")) {
                int amount = random.nextInt(20);
                for (int side : new int[] {-amount, amount}) {
                    move.setInt(1, side);
                    move.setInt(2, random.nextInt(50));
                    same(1, move.executeUpdate());
                }
            }
            connection.commit();
            // Each text is another statement, which Derby makes a class of.
            String text = "select sum(balance), count(*) from account where id < 50 + " + random.nextInt(300);
            try (Statement statement = connection.createStatement(); ResultSet sum = statement.executeQuery(text)) {
                same(true, sum.next());
                same(5000, sum.getInt(1));
                same(50, sum.getInt(2));
            }
            connection.commit();
        };
    }

    /** Each script is a class of a loader of its own. */
    private static void groovy() {
        int number = (int) (ANSWERS.get("groovy").get() % 1000);
        Object answer = new groovy.lang.GroovyShell().evaluate(
                "class Node { int value; Node next }\nNode first = null\n(1.." + number
                        + ").each { if (it > 0) first = new Node(value: it, next: first) }\nint n = 0; long sum = 0\n"
                        + "for (Node at = first; at != null; at = at.next) { n++; sum += at.value }\n[n, sum]");
        long last = Math.max(number, 1);
        same(number == 0 ? List.of(1, 1L) : List.of(number, last * (last + 1) / 2), answer);
    }

    private static Part ruby() {
        org.jruby.embed.ScriptingContainer ruby = new org.jruby.embed.ScriptingContainer(
                org.jruby.embed.LocalContextScope.SINGLETHREAD);
        ruby.runScriptlet("class Point\n  attr_reader :x\n  def initialize(x) @x = x end\nend\n"
                + "def sum(n) (1..n).map { |x| Point.new(x) }.select { |p| p.x.even? }.inject(0) { |s, p| s + p.x } end");
        Random random = new Random(2);
        return () -> {
            long n = random.nextInt(2000);
            same((n / 2) * (n / 2 + 1), ((Number) ruby.runScriptlet("sum(" + n + ")")).longValue());
        };
    }

    /** Words are counted by a topology of its own. */
    private static void streams() {
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream("words", Consumed.with(Serdes.String(), Serdes.String())).groupByKey()
                .count(Materialized.as(Stores.inMemoryKeyValueStore("all"))).toStream()
                .to("counts", Produced.with(Serdes.String(), Serdes.Long()));
        Properties properties = new Properties();
        properties.put(StreamsConfig.APPLICATION_ID_CONFIG, "soak");
        properties.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, "none:1");
        properties.put(StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
        properties.put(StreamsConfig.DEFAULT_VALUE_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
        properties.put(StreamsConfig.STATE_DIR_CONFIG, System.getProperty("java.io.tmpdir"));
        try (TopologyTestDriver driver = new TopologyTestDriver(builder.build(), properties)) {
            TestInputTopic<String, String> words = driver.createInputTopic("words", Serdes.String().serializer(),
                    Serdes.String().serializer());
            TestOutputTopic<String, Long> counts = driver.createOutputTopic("counts", Serdes.String().deserializer(),
                    Serdes.Long().deserializer());
            Map<String, Long> expected = new HashMap<>();
            for (int number = 0; number < 200; number++) {
                String word = "word" + number % 7;
                words.pipeInput(word, "x");
                expected.merge(word, 1L, Long::sum);
            }
            same(expected, counts.readKeyValuesToMap());
        }
    }

    /** Public for Undertow, which constructs it. */
    public static final class Shop extends jakarta.servlet.http.HttpServlet {
        @Override
        protected void doGet(jakarta.servlet.http.HttpServletRequest request, jakarta.servlet.http.HttpServletResponse response)
                throws IOException {
            jakarta.servlet.http.HttpSession session = request.getSession();
            Integer visits = (Integer) session.getAttribute("visits");
            session.setAttribute("visits", visits == null ? 1 : visits + 1);
            session.setAttribute("cart", new byte[1000]);
            response.getOutputStream().print(String.valueOf(session.getAttribute("visits")));
        }
    }
}
