import com.acme.frameworks.Dumps;
import java.util.Properties;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serializer;

/** Clients of Kafka that never meet a broker. Arguments: two dumps. */
public final class Clients {
    private Clients() {
    }

    public static void main(String[] args) throws Exception {
        Properties properties = new Properties();
        properties.put("bootstrap.servers", "127.0.0.1:1");
        properties.put("client.id", "orders");
        KafkaProducer<Object, Object> producer = new KafkaProducer<>(properties, new Bytes(70_000), new Bytes(80_000));
        properties.put("client.id", "bills");
        properties.put("group.id", "bills");
        KafkaConsumer<Object, Object> consumer = new KafkaConsumer<>(properties, new Bytes(90_000), new Bytes(60_000));
        Dumps.KEPT.put("producer", producer);
        Dumps.KEPT.put("consumer", consumer);
        new Dumps().write(args);
        Runtime.getRuntime().halt(0);
    }

    static final class Bytes implements Serializer<Object>, Deserializer<Object> {
        final byte[] table;

        Bytes(int bytes) {
            table = new byte[bytes];
        }

        @Override
        public byte[] serialize(String topic, Object value) {
            return table;
        }

        @Override
        public Object deserialize(String topic, byte[] value) {
            return table;
        }

        @Override
        public void configure(java.util.Map<String, ?> settings, boolean isKey) {
        }

        @Override
        public void close() {
        }
    }
}
