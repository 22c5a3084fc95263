package com.acme.rescue;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.catalina.Context;
import org.apache.catalina.startup.Tomcat;

/**
 * A web server (Tomcat) with pages that take little memory, and one report that takes all there is: {@code /page} and
 * {@code /report}. It knows nothing of Weighbridge. Prints its port.
 */
public final class Server {
    private Server() {
    }

    public static void main(String[] arguments) throws Exception {
        Path base = Files.createTempDirectory("rescue");
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(base.toString());
        tomcat.setPort(arguments.length > 0 ? Integer.parseInt(arguments[0]) : 0);
        Context context = tomcat.addContext("", base.toString());
        Tomcat.addServlet(context, "page", new Page());
        context.addServletMappingDecoded("/page", "page");
        Tomcat.addServlet(context, "report", new ReportPage());
        context.addServletMappingDecoded("/report", "report");
        tomcat.getConnector();
        tomcat.start();
        System.out.println("port " + tomcat.getConnector().getLocalPort());
        tomcat.getServer().await();
    }

    static final class Page extends HttpServlet {
        private static final long serialVersionUID = 1;
        private static final int LINES = 200;

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            StringBuilder page = new StringBuilder();
            for (int line = 0; line < LINES; line++) {
                page.append("order ").append(line).append(" of ").append(request.getParameter("customer")).append('\n');
            }
            response.getWriter().print(page);
        }
    }

    static final class ReportPage extends HttpServlet {
        private static final long serialVersionUID = 1;

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            long rows = Long.parseLong(request.getParameter("rows"));
            response.getWriter().print(new Report(rows).render() + " rows\n");
        }
    }
}
