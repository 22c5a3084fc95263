import com.acme.frameworks.Dumps;
import java.io.ByteArrayInputStream;
import java.util.HashMap;
import java.util.Map;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.cache.jcache.internal.JCacheAccessImpl;
import org.hibernate.cache.spi.CacheImplementor;
import org.hibernate.cache.spi.Region;
import org.hibernate.cfg.Configuration;
import org.hibernate.engine.spi.SessionFactoryImplementor;

/** A session factory with two regions of a second-level cache. Arguments: two dumps. */
public final class Notes {
    private static final int NOTES = 40;

    private Notes() {
    }

    public static void main(String[] args) throws Exception {
        Configuration configuration = new Configuration();
        configuration.setProperty("hibernate.connection.url", "jdbc:h2:mem:notes");
        configuration.setProperty("hibernate.dialect", "org.hibernate.dialect.H2Dialect");
        configuration.setProperty("hibernate.hbm2ddl.auto", "create");
        configuration.setProperty("hibernate.session_factory_name", "notes");
        configuration.setProperty("hibernate.session_factory_name_is_jndi", "false");
        configuration.setProperty("hibernate.cache.use_second_level_cache", "true");
        configuration.setProperty("hibernate.cache.region.factory_class", "jcache");
        configuration.setProperty("hibernate.javax.cache.missing_cache_strategy", "create");
        configuration.setProperty("hibernate.default_entity_mode", "dynamic-map");
        configuration.addInputStream(new ByteArrayInputStream((HEAD + type("Note") + type("Draft") + "</hibernate-mapping>")
                .getBytes("UTF-8")));
        SessionFactory factory = configuration.buildSessionFactory();
        fill(factory, "Note", 10_000);
        fill(factory, "Draft", 2_000);
        Session open = factory.openSession();
        open.get("Draft", 1L);
        Dumps.KEPT.put("open", open);
        Dumps dumps = new Dumps();
        String name = "hibernate.factory[notes]";
        CacheImplementor cache = ((SessionFactoryImplementor) factory).getCache();
        dumps.belongs(name, factory);
        dumps.belongs(name, cache);
        for (String region : cache.getCacheRegionNames()) {
            belongs(dumps, name + ".region[" + region + "]", cache.getRegion(region));
        }
        dumps.belongs(name + ".session", open);
        dumps.write(args);
        open.close();
        factory.close();
    }

    private static void belongs(Dumps dumps, String component, Region region) throws Exception {
        dumps.belongs(component, region);
        JCacheAccessImpl access = (JCacheAccessImpl) Dumps.field(region, "storageAccess");
        dumps.belongs(component, access);
        dumps.belongs(component, access.getUnderlyingCache());
        com.github.benmanes.caffeine.cache.Cache<?, ?> cache =
                (com.github.benmanes.caffeine.cache.Cache<?, ?>) access.getUnderlyingCache().unwrap(com.github.benmanes.caffeine.cache.Cache.class);
        dumps.belongs(component, cache);
        dumps.belongs(component, cache.asMap());
    }

    private static void fill(SessionFactory factory, String type, int bytes) {
        Session session = factory.openSession();
        session.beginTransaction();
        for (long id = 1; id <= NOTES; id++) {
            Map<String, Object> note = new HashMap<>();
            note.put("id", id);
            note.put("body", new String(new char[bytes]).replace('\0', (char) ('a' + id % 26)));
            session.persist(type, note);
        }
        session.getTransaction().commit();
        session.close();
    }

    private static final String HEAD = "<?xml version='1.0'?><!DOCTYPE hibernate-mapping PUBLIC "
            + "'-//Hibernate/Hibernate Mapping DTD 3.0//EN' 'http://www.hibernate.org/dtd/hibernate-mapping-3.0.dtd'>"
            + "<hibernate-mapping>";

    private static String type(String name) {
        return "<class entity-name='" + name + "'><cache usage='read-write'/><id name='id' type='long' column='ID'>"
                + "<generator class='assigned'/></id><property name='body' type='string' length='20000'/></class>";
    }
}
