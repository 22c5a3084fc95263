import com.acme.frameworks.Dumps;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.google.common.cache.CacheBuilder;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import org.apache.commons.dbcp2.BasicDataSource;
import org.apache.tomcat.jdbc.pool.DataSource;
import org.apache.tomcat.jdbc.pool.PoolProperties;

/** Caches, thread pools with tasks that wait, and pools of connections. Arguments: two dumps. */
public final class Libraries {
    private static final CountDownLatch END = new CountDownLatch(1);

    private Libraries() {
    }

    public static void main(String[] args) throws Exception {
        com.github.benmanes.caffeine.cache.Cache<Integer, byte[]> bounded = Caffeine.newBuilder().maximumSize(100).build();
        com.github.benmanes.caffeine.cache.Cache<Integer, byte[]> unbounded = Caffeine.newBuilder().build();
        com.google.common.cache.Cache<Integer, byte[]> guava = CacheBuilder.newBuilder().maximumSize(100).build();
        for (int i = 0; i < 10; i++) {
            bounded.put(i, new byte[10_000]);
            unbounded.put(i, new byte[20_000]);
            guava.put(i, new byte[30_000]);
        }
        Dumps.KEPT.put("bounded", bounded);
        Dumps.KEPT.put("unbounded", unbounded);
        Dumps.KEPT.put("guava", guava);
        ExecutorService executor = Executors.newFixedThreadPool(1);
        ForkJoinPool forks = new ForkJoinPool(1);
        executor.execute(new Waiting(0));
        forks.execute(new Waiting(0));
        for (int i = 0; i < 20; i++) {
            executor.execute(new Waiting(5_000));
            forks.execute(new Waiting(6_000));
        }
        Connection[] connections = {hikari().getConnection(), tomcat().getConnection(), dbcp().getConnection()};
        Dumps.KEPT.put("connections", connections);
        new Dumps().write(args);
        END.countDown();
        System.exit(0);
    }

    private static HikariDataSource hikari() {
        HikariConfig config = new HikariConfig();
        config.setPoolName("orders");
        config.setJdbcUrl("jdbc:h2:mem:hikari");
        config.setMinimumIdle(2);
        config.setMaximumPoolSize(2);
        return new HikariDataSource(config);
    }

    private static DataSource tomcat() {
        PoolProperties properties = new PoolProperties();
        properties.setName("stock");
        properties.setUrl("jdbc:h2:mem:tomcat");
        properties.setDriverClassName("org.h2.Driver");
        properties.setInitialSize(2);
        return new DataSource(properties);
    }

    private static BasicDataSource dbcp() {
        BasicDataSource source = new BasicDataSource();
        source.setJmxName("com.acme:name=bills");
        source.setUrl("jdbc:h2:mem:dbcp");
        source.setInitialSize(2);
        return source;
    }

    /** A task that holds memory until the program ends. */
    static final class Waiting implements Runnable {
        final byte[] input;

        Waiting(int bytes) {
            input = new byte[bytes];
        }

        @Override
        public void run() {
            try {
                END.await(1, TimeUnit.MINUTES);
            } catch (InterruptedException end) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
