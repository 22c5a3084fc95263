package com.acme.cli;

import com.acme.cli.lib.Held;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;

/** Echoes its input and arguments, holds what it is told to, and ends with the exit code it is told. */
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
        System.exit(Integer.parseInt(args[0]));
    }
}
