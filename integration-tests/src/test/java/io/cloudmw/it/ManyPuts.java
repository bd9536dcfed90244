package io.cloudmw.it;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.CloudMwOptions;
import io.cloudmw.client.PutOptions;
import io.cloudmw.client.progress.PutReceipt;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VolumeName;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/**
 * A process that writes many files: {@code <coordinator> <volume> <count> <source>} puts one file {@code count} times
 * at once through one client, as {@code /put-0} and so on. Exits with 0 if all puts succeed.
 */
final class ManyPuts {
    private ManyPuts() {}

    public static void main(String[] arguments) {
        VolumeName volume = new VolumeName(arguments[1]);
        Path source = Path.of(arguments[3]);
        try (CloudMw client = CloudMw.connect(CloudMwOptions.of(arguments[0]))) {
            List<CompletableFuture<PutReceipt>> puts = IntStream.range(0, Integer.parseInt(arguments[2]))
                    .mapToObj(i -> client.files().put(source, new FilePath(volume, "/put-" + i), PutOptions.defaults()))
                    .toList();
            puts.forEach(CompletableFuture::join);
        }
    }
}
