import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.Random;

/** Fills, queries, updates and empties a table of an in-memory H2 database; the argument is how often. */
public final class Sql {
    private Sql() {
    }

    public static void main(String[] args) throws Exception {
        Random random = new Random(1);
        long checksum = 0;
        try (Connection c = DriverManager.getConnection("jdbc:h2:mem:bench"); Statement s = c.createStatement()) {
            s.execute("create table item(id int primary key, name varchar, price decimal(10, 2), branch int)");
            s.execute("create index by_branch on item(branch)");
            int rounds = Integer.parseInt(args[0]);
            Progress progress = new Progress(rounds);
            for (int round = 0; round < rounds; round++) {
                try (PreparedStatement insert = c.prepareStatement("merge into item values (?, ?, ?, ?)")) {
                    for (int i = 0; i < 20_000; i++) {
                        insert.setInt(1, random.nextInt(60_000));
                        insert.setString(2, "item " + i);
                        insert.setInt(3, i % 1000);
                        insert.setInt(4, i % 97);
                        insert.addBatch();
                        if (i % 500 == 499) {
                            insert.executeBatch();
                        }
                    }
                }
                try (PreparedStatement query = c.prepareStatement("select count(*), sum(price) from item where branch = ?")) {
                    for (int q = 0; q < 60; q++) {
                        query.setInt(1, random.nextInt(97));
                        try (ResultSet r = query.executeQuery()) {
                            r.next();
                            checksum += r.getLong(1);
                        }
                    }
                }
                s.executeUpdate("update item set price = price + 1 where mod(id, 7) = " + round % 7);
                s.executeUpdate("delete from item where mod(id, 5) = " + round % 5);
                progress.done(round + 1);
            }
        }
        System.out.println(checksum);
    }
}
