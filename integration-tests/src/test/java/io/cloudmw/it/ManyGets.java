package io.cloudmw.it;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.CloudMwOptions;
import io.cloudmw.client.GetOptions;
import io.cloudmw.client.progress.GetReceipt;
import io.cloudmw.core.model.FilePath;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/**
 * A process that reads many files: {@code <coordinator> <file> <count> <directory> <expected>} gets one file {@code
 * count} times at once through one client. Compares each with {@code expected} and exits with 0 if all are equal.
 */
final class ManyGets {
    private ManyGets() {}

    public static void main(String[] arguments) throws Exception {
        FilePath file = FilePath.parse(arguments[1]);
        Path directory = Path.of(arguments[3]);
        Path expected = Path.of(arguments[4]);
        try (CloudMw client = CloudMw.connect(CloudMwOptions.of(arguments[0]))) {
            List<CompletableFuture<GetReceipt>> gets = IntStream.range(0, Integer.parseInt(arguments[2]))
                    .mapToObj(i -> client.files()
                            .get(
                                    file,
                                    directory.resolve("many-" + i),
                                    GetOptions.defaults().withDurable(false)))
                    .toList();
            gets.forEach(CompletableFuture::join);
            for (int i = 0; i < gets.size(); i++) {
                Path back = directory.resolve("many-" + i);
                if (Files.mismatch(back, expected) >= 0) {
                    throw new AssertionError(back + " differs from " + expected);
                }
            }
        }
    }
}
