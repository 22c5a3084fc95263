package io.weighbridge.gradle;

import io.weighbridge.build.Folders;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import org.gradle.api.Action;
import org.gradle.api.Task;

/** Deletes the recordings of the last run before tests run again. */
final class EmptyRecordings implements Action<Task> {
    private final File folder;

    EmptyRecordings(File folder) {
        this.folder = folder;
    }

    @Override
    public void execute(Task task) {
        try {
            Folders.delete(folder.toPath());
            Files.createDirectories(folder.toPath());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
