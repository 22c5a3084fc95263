package com.acme.cli;

import com.acme.cli.lib.Held;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;

/** Echoes its input and arguments, holds some objects, may wait or start itself again, and ends with the exit code it is told. */
public class Main {
    static final List<Held> HELD = new ArrayList<>();

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 7; i++) {
            HELD.add(new Held());
        }
        String line = new BufferedReader(new InputStreamReader(System.in)).readLine();
        System.out.println("out " + line + " " + String.join("|", args));
        System.err.println("err");
        if (args.length > 1 && args[1].equals("wait")) {
            Thread.sleep(60_000);
        }
        if (args.length > 1 && args[1].equals("again")) {
            List<String> command = new ArrayList<>(List.of(System.getProperty("java.home") + "/bin/java"));
            command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
            command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName(), "4"));
            new ProcessBuilder(command).inheritIO().start().waitFor();
        }
        System.exit(Integer.parseInt(args[0]));
    }
}
