package io.cloudmw.cli.command;

import io.cloudmw.cli.output.LocalPaths;
import io.cloudmw.client.progress.PutReceipt;
import io.cloudmw.client.rpc.Calls;
import io.cloudmw.core.error.CloudMwException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;

/** The input of a command that writes: a file, or a stream that is read to its end ({@code -}, a pipe or a device). */
public record Input(CommandContext context, String source) {
    /** The call that begins to write a source. */
    public interface Writing<S> {
        CompletableFuture<PutReceipt> begin(S source);
    }

    public PutReceipt write(Writing<Path> file, Writing<InputStream> stream) throws CloudMwException {
        if (source.equals("-")) {
            return Calls.await(stream.begin(LocalPaths.named("standard input", context.in())));
        }
        Path path = Path.of(source);
        if (!LocalPaths.isSpecial(path)) {
            return Calls.await(file.begin(path));
        }
        try (InputStream opened = Files.newInputStream(path)) {
            return Calls.await(stream.begin(LocalPaths.named(path, opened)));
        } catch (CloudMwException e) {
            throw e;
        } catch (IOException e) {
            throw LocalPaths.failed(path, "read", e);
        }
    }
}
