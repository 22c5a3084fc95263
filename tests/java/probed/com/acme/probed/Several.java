package com.acme.probed;

import java.io.IOException;

/** The same under another name, by which several programs are found. */
final class Several {
    private Several() {
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        Main.main(args);
    }
}
