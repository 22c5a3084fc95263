package io.weighbridge.admission.javax;

import io.weighbridge.admission.FilterSettings;
import io.weighbridge.admission.Gate;
import java.io.IOException;
import javax.servlet.Filter;
import javax.servlet.FilterChain;
import javax.servlet.FilterConfig;
import javax.servlet.ServletException;
import javax.servlet.ServletRequest;
import javax.servlet.ServletResponse;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;

/** As {@link io.weighbridge.admission.AdmissionFilter}, with the same init-parameters. */
public class AdmissionFilter implements Filter {
    private final Gate gate = Gate.OF_PROCESS;
    private FilterSettings settings;

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
