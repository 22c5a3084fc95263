import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayDeque;

/** Writes and reads trees of JSON with Jackson, and keeps the last few hundred; the argument is how many thousands. */
public final class RoundTrips {
    private RoundTrips() {
    }

    public static void main(String[] args) throws Exception {
        ObjectMapper mapper = new ObjectMapper();
        ArrayDeque<JsonNode> kept = new ArrayDeque<>();
        long checksum = 0;
        int trips = Integer.parseInt(args[0]) * 1000;
        Progress progress = new Progress(trips);
        for (int i = 0; i < trips; i++) {
            ObjectNode order = mapper.createObjectNode();
            order.put("id", i).put("customer", "customer " + i % 1000).put("total", i * 0.25);
            ArrayNode lines = order.putArray("lines");
            for (int l = 0; l < 20; l++) {
                lines.addObject().put("article", "article " + (i + l) % 777).put("pieces", l).put("price", l * 1.5);
            }
            JsonNode back = mapper.readTree(mapper.writeValueAsBytes(order));
            checksum += back.get("lines").size();
            kept.add(back);
            if (kept.size() > 500) {
                kept.remove();
            }
            if (i % 1000 == 999) {
                progress.done(i + 1);
            }
        }
        System.out.println(checksum);
    }
}
