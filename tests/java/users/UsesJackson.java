import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;

/** Parses with Jackson's core, whose number parser has a version per Java version. */
public final class UsesJackson {
    private UsesJackson() {
    }

    public static void main(String[] arguments) throws IOException {
        JsonFactory factory = JsonFactory.builder().enable(com.fasterxml.jackson.core.StreamReadFeature.USE_FAST_DOUBLE_PARSER).build();
        try (JsonParser parser = factory.createParser("{\"a\": 1.25}")) {
            while (parser.nextToken() != JsonToken.VALUE_NUMBER_FLOAT) {
                continue;
            }
            System.out.println(parser.getDoubleValue() + " of " + JsonFactory.class.getModule());
        }
    }
}
