import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Writes objects as JSON with Jackson, and reads them back. */
public final class RoundTrip {
    private RoundTrip() {
    }

    /** What is written. */
    public static final class Order {
        public int number;
        public String customer;
        public List<String> items = new ArrayList<>();
        public Map<String, Double> prices = new LinkedHashMap<>();
    }

    public static void main(String[] args) throws Exception {
        int rounds = Integer.parseInt(args[0]);
        Points.begin();
        ObjectMapper mapper = new ObjectMapper();
        List<Order> kept = new ArrayList<>();
        for (int round = 0; round < rounds; round++) {
            List<Order> orders = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                Order order = new Order();
                order.number = round * 50 + i;
                order.customer = "customer " + i % 7;
                for (int item = 0; item < i % 5; item++) {
                    order.items.add("item " + item);
                    order.prices.put("item " + item, item * 1.5);
                }
                orders.add(order);
            }
            String text = mapper.writeValueAsString(orders);
            List<Order> back = mapper.readValue(text, new TypeReference<List<Order>>() {
            });
            if (back.size() != orders.size()) {
                throw new AssertionError(text);
            }
            kept.addAll(back.subList(0, 5));
            Points.point();
        }
    }
}
