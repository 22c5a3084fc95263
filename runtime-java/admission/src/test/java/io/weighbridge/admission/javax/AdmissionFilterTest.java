package io.weighbridge.admission.javax;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.weighbridge.Cancelled;
import io.weighbridge.Weighbridge;
import io.weighbridge.admission.Made;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.servlet.FilterChain;
import javax.servlet.FilterConfig;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.Test;

final class AdmissionFilterTest {
    private final List<String> answered = new ArrayList<>();

    private void ask(FilterChain page) throws Exception {
        AdmissionFilter filter = new AdmissionFilter();
        filter.init(Made.of(FilterConfig.class, answered, Map.of("getInitParameter", name -> null)));
        filter.doFilter(Made.of(HttpServletRequest.class, answered, Map.of("getServletPath", name -> "/orders")),
                Made.of(HttpServletResponse.class, answered, Map.of("isCommitted", name -> false)), page);
    }

    @Test
    void itDoesAsTheOther() throws Exception {
        Weighbridge.reset();
        ask((request, response) -> Weighbridge.TOLD.add("page"));
        assertEquals(List.of("admit request=/orders", "open request=/orders", "page", "close request=/orders"), Weighbridge.TOLD);
        ask((request, response) -> {
            throw new Cancelled();
        });
        Weighbridge.admits = false;
        ask((request, response) -> Weighbridge.TOLD.add("page"));
        String refused = "setHeader Retry-After 5, sendError 503 memory is short";
        assertEquals("[reset, " + refused + ", " + refused + "]", answered.toString());
    }
}
