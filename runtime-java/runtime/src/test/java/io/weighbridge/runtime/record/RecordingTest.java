package io.weighbridge.runtime.record;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.gson.JsonParser;
import io.weighbridge.runtime.Recorded;
import io.weighbridge.runtime.jvm.Notices;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RecordingTest {
    @TempDir
    Path folder;

    private Recording recording(String run) {
        Recording recording = new Recording(run);
        recording.use(folder.resolve(run + ".wbr").toString(), null);
        return recording;
    }

    private static long count(String text, String note) {
        return text.lines().map(line -> JsonParser.parseString(line).getAsJsonObject())
                .filter(line -> line.get("kind").getAsString().equals("note") && line.get("text").getAsString().equals(note))
                .count();
    }

    @Test
    void eachRecordingHasEachNoteOnceAndSoHasWhoeverBeginsToFollow() throws Exception {
        Recording early = recording("early");
        Recording late = recording("late");
        Notices.note("said before");
        early.append(new StringBuilder());
        Notices.note("said between");
        late.append(new StringBuilder());
        early.append(new StringBuilder());
        late.append(new StringBuilder());
        for (String note : new String[] {"said before", "said between"}) {
            for (String run : new String[] {"early", "late"}) {
                long times = Recorded.lines(folder.resolve(run + ".wbr"), "note").stream()
                        .filter(line -> line.get("text").getAsString().equals(note)).count();
                assertEquals(1, times, run + ": " + note);
            }
            assertEquals(1, count(early.beginning(), note), note);
        }
        early.close();
        late.close();
    }
}
