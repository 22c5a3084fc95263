package io.weighbridge.maven;

import java.util.List;
import java.util.stream.Collectors;

/** Arguments of a JVM as one text that Surefire and Failsafe can split again. */
final class Arguments {
    private Arguments() {}

    /**
     * Joins arguments by spaces, each in quotes.
     *
     * @throws IllegalArgumentException if one has both kinds of quotes: the text has no way to escape either
     */
    static String quoted(List<String> arguments) {
        return arguments.stream().map(Arguments::quoted).collect(Collectors.joining(" "));
    }

    private static String quoted(String argument) {
        if (argument.indexOf('"') < 0) {
            return '"' + argument + '"';
        }
        if (argument.indexOf('\'') < 0) {
            return '\'' + argument + '\'';
        }
        throw new IllegalArgumentException("an argument of test JVMs has both kinds of quotes: " + argument);
    }
}
