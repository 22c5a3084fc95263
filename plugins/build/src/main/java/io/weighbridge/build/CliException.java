package io.weighbridge.build;

import java.io.IOException;

/** The command line cannot be found, does not start or fails. The message is whole: it needs no name of this class. */
public final class CliException extends IOException {
    /** @param message what is wrong, and what to do */
    public CliException(String message) {
        super(message);
    }

    /**
     * @param message what is wrong, and what to do
     * @param cause where it comes from
     */
    public CliException(String message, Throwable cause) {
        super(message, cause);
    }
}
