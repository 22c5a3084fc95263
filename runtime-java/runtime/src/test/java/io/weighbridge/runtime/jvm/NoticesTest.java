package io.weighbridge.runtime.jvm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class NoticesTest {
    @Test
    void aTextFromTheProgramStaysOneLineAndCannotSteerATerminal() {
        String rightToLeft = String.valueOf((char) 0x202e);
        assertEquals("tag a\\u000ab\\u001b[2J\\u202ec \u00e4", Notices.printable("tag a\nb\u001b[2J" + rightToLeft + "c \u00e4"));
    }
}
