import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;

/** Rounds of a database in memory: a table is filled, joined, changed and dropped. Fails if an answer is wrong. */
public final class Derby {
    private static final int ROWS = 4_000;

    private Derby() {
    }

    public static void main(String[] arguments) throws Exception {
        int rounds = Integer.parseInt(arguments[0]);
        try (Connection connection = DriverManager.getConnection("jdbc:derby:memory:short;create=true")) {
            connection.setAutoCommit(false);
            for (int round = 0; round < rounds; round++) {
                round(connection, round);
            }
        }
    }

    private static void round(Connection connection, int round) throws Exception {
        try (Statement statement = connection.createStatement()) {
            statement.execute("create table t" + round + " (id int primary key, name varchar(60), part int)");
            statement.execute("create index i" + round + " on t" + round + " (part)");
            try (PreparedStatement insert = connection.prepareStatement("insert into t" + round + " values (?, ?, ?)")) {
                for (int row = 0; row < ROWS; row++) {
                    insert.setInt(1, row);
                    insert.setString(2, "row " + row + " of round " + round);
                    insert.setInt(3, row % 97);
                    insert.executeUpdate();
                }
            }
            connection.commit();
            try (ResultSet found = statement.executeQuery("select a.part, count(*), max(b.name) from t" + round + " a join t"
                    + round + " b on a.part = b.part where a.id < 300 group by a.part order by a.part")) {
                int parts = 0;
                while (found.next()) {
                    parts++;
                }
                if (parts != 97) {
                    throw new AssertionError(parts + " parts");
                }
            }
            int changed = statement.executeUpdate("update t" + round + " set name = name || '!' where part < 40");
            int expected = 0;
            for (int row = 0; row < ROWS; row++) {
                expected += row % 97 < 40 ? 1 : 0;
            }
            if (changed != expected) {
                throw new AssertionError(changed + " rows changed, not " + expected);
            }
            statement.execute("drop table t" + round);
            connection.commit();
        }
    }
}
