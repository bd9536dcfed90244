package io.cloudmw.cli.output;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class StandardOutputTest {
    @TempDir
    private Path directory;

    private static ByteBuffer direct(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
    }

    private static void printAround(OutputStream to) throws IOException {
        StandardOutput out = new StandardOutput(to);
        out.print("before,");
        WritableByteChannel channel = out.channel();
        channel.write(direct("bytes,"));
        out.print("between,");
        channel.write(direct("more,"));
        out.print("after");
        out.requireWritten();
    }

    @Test
    void bytesOfAFileKeepTheirPlaceAmongWhatIsPrinted() throws Exception {
        Path file = directory.resolve("out");
        try (FileOutputStream descriptor = new FileOutputStream(file.toFile())) {
            printAround(descriptor);
        }
        ByteArrayOutputStream memory = new ByteArrayOutputStream();
        printAround(memory);
        assertThat(file).hasContent("before,bytes,between,more,after");
        assertThat(memory).hasToString(Files.readString(file));
    }

    @Test
    void failedWriteOfADescriptorFailsTheOutput() throws Exception {
        FileOutputStream descriptor =
                new FileOutputStream(directory.resolve("out").toFile());
        StandardOutput out = new StandardOutput(descriptor);
        WritableByteChannel channel = out.channel();
        descriptor.close();
        assertThatThrownBy(() -> channel.write(direct("x"))).isInstanceOf(IOException.class);
        assertThatThrownBy(out::requireWritten).isInstanceOf(IOException.class);
        assertThat(out.abandoned()).isFalse();
    }
}
