import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;

/** A short session of an H2 database: tables, rows, an index, queries, a rollback. */
public final class Session {
    private Session() {
    }

    public static void main(String[] args) throws Exception {
        int rounds = Integer.parseInt(args[0]);
        Points.begin();
        try (Connection connection = DriverManager.getConnection("jdbc:h2:mem:session")) {
            try (Statement statement = connection.createStatement()) {
                statement.execute("create table item(id int primary key, name varchar, price decimal(10, 2))");
                statement.execute("create index by_name on item(name)");
            }
            for (int round = 0; round < rounds; round++) {
                try (PreparedStatement insert = connection.prepareStatement("insert into item values(?, ?, ?)")) {
                    for (int i = 0; i < 100; i++) {
                        insert.setInt(1, round * 100 + i);
                        insert.setString(2, "item " + i * 7 % 100);
                        insert.setBigDecimal(3, java.math.BigDecimal.valueOf(i, 2));
                        insert.executeUpdate();
                    }
                }
                try (PreparedStatement select = connection.prepareStatement(
                        "select name, sum(price) from item where id >= ? group by name order by 2 desc")) {
                    select.setInt(1, round * 10);
                    try (ResultSet rows = select.executeQuery()) {
                        while (rows.next()) {
                            rows.getString(1);
                        }
                    }
                }
                connection.setAutoCommit(false);
                try (Statement delete = connection.createStatement()) {
                    delete.executeUpdate("delete from item where mod(id, 3) = 0");
                }
                connection.rollback();
                connection.setAutoCommit(true);
                Points.point();
            }
        }
    }
}
