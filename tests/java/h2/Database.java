import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import org.h2.tools.Shell;

/** Creates, fills and queries a table through H2's Shell while the in-memory database stays open. */
public final class Database {
    private Database() {
    }

    public static void main(String[] args) throws Exception {
        String url = "jdbc:h2:mem:weighed;DB_CLOSE_DELAY=-1";
        try (Connection keep = DriverManager.getConnection(url)) {
            // It may be there from a run before.
            shell(url, "drop table if exists item");
            shell(url, "create table item(id int primary key, name varchar, price decimal(10, 2))");
            shell(url, "insert into item select x, 'item ' || x, x * 1.25 from system_range(1, 5000)");
            shell(url, "create index by_name on item(name)");
            shell(url, "select count(*), sum(price), min(name), max(name) from item where id between 100 and 4000");
            shell(url, "delete from item where mod(id, 10) = 0");
            shell(url, "select * from item where name like 'item 77%' order by id");
            if (args.length > 0) {
                Quiet.point(Path.of(args[0]));
            }
            if (!keep.isValid(1)) {
                throw new AssertionError("the database closed");
            }
        }
    }

    private static void shell(String url, String sql) throws Exception {
        new Shell().runTool("-url", url, "-user", "", "-sql", sql);
    }
}
