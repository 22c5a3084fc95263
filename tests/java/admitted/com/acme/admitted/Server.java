package com.acme.admitted;

import io.weighbridge.admission.AdmissionFilter;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.catalina.Context;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.descriptor.web.FilterDef;
import org.apache.tomcat.util.descriptor.web.FilterMap;

/**
 * A web server (Tomcat) with the filter before {@code /page}, {@code /other} and {@code /report}, which fills the heap;
 * {@code /hold} and {@code /free} have no filter: they make memory short for the others. Prints its port.
 */
public final class Server {
    private static final int CHUNK = 64 << 10;
    private static final List<byte[]> HELD = new ArrayList<>();

    private Server() {
    }

    public static void main(String[] arguments) throws Exception {
        Path base = Files.createTempDirectory("admitted");
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(base.toString());
        tomcat.setPort(0);
        Context context = tomcat.addContext("", base.toString());
        FilterDef filter = new FilterDef();
        filter.setFilterName("admission");
        filter.setFilterClass(AdmissionFilter.class.getName());
        filter.addInitParameter("retryAfter", "7");
        context.addFilterDef(filter);
        FilterMap map = new FilterMap();
        map.setFilterName("admission");
        for (String path : new String[] {"/page", "/other", "/report", "/started"}) {
            map.addURLPattern(path);
        }
        context.addFilterMap(map);
        Tomcat.addServlet(context, "all", new All());
        for (String path : new String[] {"/page", "/other", "/report", "/started", "/hold", "/free"}) {
            context.addServletMappingDecoded(path, "all");
        }
        tomcat.getConnector();
        tomcat.start();
        System.out.println("port " + tomcat.getConnector().getLocalPort());
        tomcat.getServer().await();
    }

    static final class All extends HttpServlet {
        private static final long serialVersionUID = 1;

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            response.setContentType("text/plain");
            switch (request.getServletPath()) {
                case "/report":
                    response.setHeader("X-Begun", "true");
                    response.getWriter().print("the first rows");
                    Report.render();
                    break;
                case "/started":
                    response.getWriter().print("the first rows");
                    response.flushBuffer();
                    Report.render();
                    break;
                case "/hold":
                    for (long bytes = 0; bytes < Long.parseLong(request.getParameter("mib")) << 20; bytes += CHUNK) {
                        HELD.add(new byte[CHUNK]);
                    }
                    System.gc();
                    System.gc();
                    break;
                case "/free":
                    HELD.clear();
                    break;
                default:
                    response.getWriter().print(request.getServletPath() + "\n");
            }
        }
    }

    /** Holds more and more, slowly enough to be seen before the heap is full, and may be cancelled. */
    static final class Report {
        private static final int SLOWLY = 16;

        private Report() {
        }

        /** An interrupt ends it: the next checkpoint tells why. */
        private static void pause() {
            try {
                Thread.sleep(5);
            } catch (InterruptedException soon) {
                // As it is to be.
            }
        }

        static int render() {
            List<byte[]> rows = new ArrayList<>();
            while (rows.size() < Integer.MAX_VALUE) {
                rows.add(new byte[CHUNK]);
                if (rows.size() % SLOWLY == 0) {
                    pause();
                }
            }
            return rows.size();
        }
    }
}
