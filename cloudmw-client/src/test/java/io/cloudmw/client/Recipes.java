package io.cloudmw.client;

import io.cloudmw.client.channel.FileChannels;
import io.cloudmw.client.file.FileEntry;
import io.cloudmw.client.file.FileGet;
import io.cloudmw.client.file.FilePut;
import io.cloudmw.client.file.RemoteFile;
import io.cloudmw.client.file.Watch;
import io.cloudmw.client.file.WatchListener;
import io.cloudmw.client.lock.LockOptions;
import io.cloudmw.client.lock.RemoteLock;
import io.cloudmw.client.progress.GetReceipt;
import io.cloudmw.client.progress.PutReceipt;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.ReadPath;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.file.Change;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** The recipes of {@code docs/api.md}. {@link RecipesTest} compares them with the page, and runs them. */
final class Recipes {
    private Recipes() {}

    // recipe: put a stream
    static long putStream(CloudMw cloudMw, InputStream source, FilePath file) {
        PutReceipt receipt = cloudMw.files()
                .put(source, file, PutOptions.defaults().ifAbsent())
                .join();
        return receipt.version().sizeBytes();
    }
    // end

    // recipe: put and get many small files
    static void copyMany(CloudMw cloudMw, List<Path> sources, VolumeName volume, Path directory) {
        List<FilePut> puts = new ArrayList<>();
        List<FileGet> gets = new ArrayList<>();
        for (Path source : sources) {
            FilePath file = new FilePath(volume, "/many/" + source.getFileName());
            puts.add(FilePut.of(source, file));
            gets.add(new FileGet(file, directory.resolve(file.name())));
        }
        cloudMw.files().putAll(puts).forEach(CompletableFuture::join);
        cloudMw.files().getAll(gets, GetOptions.defaults()).forEach(CompletableFuture::join);
    }
    // end

    // recipe: get a file
    static GetReceipt getFile(CloudMw cloudMw, FilePath file, Path target) {
        GetOptions options = GetOptions.defaults().withDeadline(Duration.ofSeconds(10));
        return cloudMw.files().get(file, target, options).join();
    }
    // end

    // recipe: read without helpers
    static GetReceipt getDirectly(CloudMw cloudMw, FilePath file, Path target) {
        GetOptions direct = GetOptions.defaults().withPath(ReadPath.DIRECT);
        return cloudMw.files().get(file, target, direct).join();
    }
    // end

    // recipe: read a range
    static byte[] readRange(CloudMw cloudMw, FilePath file, long offset, int length) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        GetOptions range = GetOptions.defaults().withRange(new ByteRange(offset, length));
        cloudMw.files().read(file, Channels.newChannel(bytes), range).join();
        return bytes.toByteArray();
    }
    // end

    // recipe: read small pieces
    static ByteBuffer readAt(CloudMw cloudMw, FilePath file, long position) {
        try (RemoteFile open = cloudMw.files().open(file).join()) {
            ByteBuffer buffer = ByteBuffer.allocate(4096);
            open.read(buffer, position).join(); // -1 at the end of the file
            return buffer.flip();
        }
    }
    // end

    // recipe: use streams and channels
    static void changeParts(FileChannels channels, FilePath file, byte[] header) throws IOException {
        try (FileChannel channel = channels.open(file, Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE))) {
            int unused = channel.write(ByteBuffer.wrap(header), 0);
            channel.truncate(1 << 20);
        } // the new version is visible now; it shares the chunks that did not change
    }
    // end

    // recipe: use java.nio.file
    static Path archive(String coordinator, String volume, Path local) throws IOException {
        Path directory = Path.of(URI.create("cloudmw://" + coordinator + "/" + volume + "/archive"));
        Files.createDirectories(directory);
        return Files.copy(local, directory.resolve(local.getFileName().toString()));
    }
    // end

    // recipe: lock a file
    static void addLine(CloudMw cloudMw, FilePath file, String line) {
        try (RemoteLock lock =
                cloudMw.files().lock(file, LockOptions.exclusive()).join()) {
            byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
            cloudMw.files()
                    .append(
                            new ByteArrayInputStream(bytes),
                            file,
                            PutOptions.defaults().under(lock))
                    .join();
        }
    }
    // end

    // recipe: list a directory
    static List<String> list(CloudMw cloudMw, VolumeName volume, String directory) {
        List<String> names = new ArrayList<>();
        String token = "";
        do {
            Page<FileEntry> page =
                    cloudMw.files().list(volume, directory, token, 1000).join();
            page.items().forEach(entry -> names.add(entry.name()));
            token = page.nextToken();
        } while (!token.isEmpty());
        return names;
    }
    // end

    // recipe: watch a volume
    static Watch watch(CloudMw cloudMw, VolumeName volume, Consumer<Change> changed, Runnable listAgain) {
        Watch watch = cloudMw.files().watch(volume, "/", OptionalLong.empty(), new WatchListener() {
            @Override
            public void changed(Change change) {
                changed.accept(change);
            }

            @Override
            public void lost(long position) {
                listAgain.run();
            }
        });
        watch.started().join(); // no later change is missed
        return watch;
    }
    // end

    // recipe: cancel
    static GetReceipt getWithin(CloudMw cloudMw, FilePath file, Path target, Duration limit)
            throws InterruptedException, ExecutionException, TimeoutException {
        CompletableFuture<GetReceipt> get = cloudMw.files().get(file, target, GetOptions.defaults());
        try {
            return get.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } finally {
            get.cancel(true); // stops the transfer at the helpers too; no effect when it is done
        }
    }
    // end

    // recipe: handle errors
    static boolean exists(CloudMw cloudMw, FilePath file) {
        try {
            cloudMw.files().stat(file).join();
            return true;
        } catch (CompletionException e) {
            if (e.getCause() instanceof CloudMwException failure && failure.code() == ErrorCode.NOT_FOUND) {
                return false;
            }
            throw e;
        }
    }
    // end

    // recipe: report meters
    static CloudMw connect(String coordinator, MeterRegistry registry) {
        return CloudMw.connect(CloudMwOptions.of(coordinator).withMeters(registry));
    }
    // end
}
