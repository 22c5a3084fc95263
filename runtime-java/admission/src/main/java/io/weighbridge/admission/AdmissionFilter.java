package io.weighbridge.admission;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.FilterConfig;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/**
 * Each request is a scope, which is admitted first and may be cancelled. A request that is refused, or ends because it was
 * cancelled, is answered with 503 and {@code Retry-After}; if the response is committed, the error goes on to the server.
 *
 * <p>Init-parameters: {@code key} ({@code request}), {@code value} ({@code path}: the servlet path; {@code mapping}: the pattern
 * that the servlet is mapped to; {@code header:NAME}; {@code name:TEXT}) and {@code retryAfter} (5 seconds). A value is to name
 * a kind of request, never an id. The scope ends with the call: what an asynchronous request does on other threads is not in it.
 */
public class AdmissionFilter implements Filter {
    private final Gate gate;
    private FilterSettings settings;

    /** For the server. */
    public AdmissionFilter() {
        this(Gate.OF_PROCESS);
    }

    AdmissionFilter(Gate gate) {
        this.gate = gate;
    }

    /** Throws {@code ServletException} if an init-parameter has a value that is not allowed. */
    @Override
    public void init(FilterConfig config) throws ServletException {
        try {
            settings = new FilterSettings(config::getInitParameter);
        } catch (IllegalArgumentException wrong) {
            throw new ServletException(wrong.getMessage(), wrong);
        }
    }

    /** What the rest of the chain throws goes through, unless the runtime made it end. */
    @Override
    public void doFilter(ServletRequest asked, ServletResponse answered, FilterChain chain) throws IOException, ServletException {
        if (!(asked instanceof HttpServletRequest) || !(answered instanceof HttpServletResponse)) {
            chain.doFilter(asked, answered);
            return;
        }
        HttpServletRequest request = (HttpServletRequest) asked;
        HttpServletResponse response = (HttpServletResponse) answered;
        String value = settings.value(request::getServletPath, () -> request.getHttpServletMapping().getPattern(),
                request::getHeader);
        if (!gate.admit(settings.key(), value)) {
            refuse(response);
            return;
        }
        try (Gate.Open scope = gate.scope(settings.key(), value)) {
            chain.doFilter(request, response);
        } catch (Throwable thrown) {
            if (!Gate.isRefusal(thrown) || response.isCommitted()) {
                throw thrown;
            }
            response.reset();
            refuse(response);
        }
    }

    private void refuse(HttpServletResponse response) throws IOException {
        response.setHeader("Retry-After", settings.retryAfter());
        response.sendError(HttpServletResponse.SC_SERVICE_UNAVAILABLE, "memory is short");
    }
}
