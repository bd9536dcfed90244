package io.cloudmw.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;

/** Named pipes. */
public final class Pipes {
    private Pipes() {}

    /** Creates a named pipe with the system's command. */
    public static Path make(Path pipe) throws IOException, InterruptedException {
        Process mkfifo =
                new ProcessBuilder("mkfifo", pipe.toString()).inheritIO().start();
        assertThat(mkfifo.waitFor()).isZero();
        return pipe;
    }
}
