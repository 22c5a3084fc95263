package io.weighbridge.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.weighbridge.Cancelled;
import io.weighbridge.Weighbridge;
import jakarta.servlet.FilterChain;
import jakarta.servlet.FilterConfig;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class AdmissionFilterTest {
    private static final FilterChain PAGE = (request, response) -> Weighbridge.TOLD.add("page");
    private final List<String> answered = new ArrayList<>();

    @BeforeEach
    void reset() {
        Weighbridge.reset();
    }

    private void ask(AdmissionFilter filter, FilterChain page, boolean committed, Map<String, String> parameters) throws Exception {
        filter.init(Made.of(FilterConfig.class, answered, Map.of("getInitParameter", parameters::get)));
        HttpServletRequest request = Made.of(HttpServletRequest.class, answered, Map.of("getServletPath", name -> "/orders"));
        HttpServletResponse response = Made.of(HttpServletResponse.class, answered, Map.of("isCommitted", name -> committed));
        filter.doFilter(request, response, page);
    }

    private void ask(FilterChain page, boolean committed) throws Exception {
        ask(new AdmissionFilter(), page, committed, Map.of());
    }

    @Test
    void aRequestIsAdmittedAndRunsInAScope() throws Exception {
        ask(PAGE, false);
        assertEquals(List.of("admit request=/orders", "open request=/orders", "page", "close request=/orders"), Weighbridge.TOLD);
        assertEquals(List.of(), answered);
    }

    @Test
    void aRequestThatIsRefusedIsAnsweredAtOnce() throws Exception {
        Weighbridge.admits = false;
        ask(new AdmissionFilter(), PAGE, false, Map.of("key", "web", "value", "name:all", "retryAfter", "30"));
        assertEquals(List.of("admit web=all"), Weighbridge.TOLD);
        assertEquals(List.of("setHeader Retry-After 30", "sendError 503 memory is short"), answered);
    }

    @Test
    void aRequestThatWasCancelledIsAnsweredWhenItsScopeIsClosed() throws Exception {
        ask((request, response) -> {
            throw new ServletException(new Cancelled());
        }, false);
        assertEquals(List.of("admit request=/orders", "open request=/orders", "close request=/orders"), Weighbridge.TOLD);
        assertEquals(List.of("reset", "setHeader Retry-After 5", "sendError 503 memory is short"), answered);
    }

    @Test
    void anotherErrorOrACommittedResponseIsLeftToTheServer() {
        Error other = new OutOfMemoryError();
        assertSame(other, assertThrows(OutOfMemoryError.class, () -> ask((request, response) -> {
            throw other;
        }, false)));
        assertThrows(Cancelled.class, () -> ask((request, response) -> {
            throw new Cancelled();
        }, true));
        assertEquals(List.of(), answered);
    }

    @Test
    void withoutTheRuntimeTheRequestGoesThrough() throws Exception {
        ask(new AdmissionFilter(new Gate(ClassLoader.getPlatformClassLoader())), PAGE, false, Map.of());
        assertEquals(List.of("page"), Weighbridge.TOLD);
    }

    @Test
    void aWrongParameterIsToldWhenTheServerStarts() {
        assertThrows(ServletException.class, () -> ask(new AdmissionFilter(), PAGE, false, Map.of("value", "url")));
    }
}
