package io.cloudmw.core.store.disk;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.StoredChunk;
import io.cloudmw.core.store.ChunkPages;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;

/** The listing of a disk, shard after shard. It keeps no more names in memory than a page has. */
final class DiskListing {
    private DiskListing() {}

    static Page<StoredChunk> page(DiskLayout layout, String pageToken, int limit) throws IOException {
        ChunkPages.check(pageToken, limit);
        List<String> names = new ArrayList<>();
        for (int shard = firstShard(pageToken); shard < 256 && names.size() <= limit; shard++) {
            Path directory = layout.chunks().resolve(String.format("%02x", shard));
            if (Files.isDirectory(directory)) {
                names.addAll(firstAfter(directory, pageToken, limit + 1 - names.size()));
            }
        }
        List<StoredChunk> found = new ArrayList<>();
        for (String name : names) {
            ChunkId chunk = ChunkId.parse(name);
            found.add(new StoredChunk(chunk, length(layout.chunk(chunk))));
        }
        return ChunkPages.page(found.stream(), limit);
    }

    /** The chunk's length; 0: the chunk was deleted meanwhile. */
    private static long length(Path chunk) throws IOException {
        try {
            return Files.size(chunk);
        } catch (NoSuchFileException e) {
            return 0;
        }
    }

    private static int firstShard(String pageToken) throws CloudMwException {
        return pageToken.isEmpty() ? 0 : Integer.parseInt(pageToken.substring(0, 2), 16);
    }

    /** The {@code count} smallest names in a shard that come after {@code pageToken}, sorted. */
    private static List<String> firstAfter(Path directory, String pageToken, int count) throws IOException {
        PriorityQueue<String> largestFirst = new PriorityQueue<>((a, b) -> b.compareTo(a));
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (Path file : files) {
                String name = file.getFileName().toString();
                if (name.compareTo(pageToken) > 0 && ChunkPages.isChunk(name)) {
                    largestFirst.add(name);
                    if (largestFirst.size() > count) {
                        largestFirst.poll();
                    }
                }
            }
        } catch (NoSuchFileException e) {
            return List.of();
        }
        return largestFirst.stream().sorted().toList();
    }
}
