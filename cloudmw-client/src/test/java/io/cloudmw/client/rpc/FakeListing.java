package io.cloudmw.client.rpc;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.wire.ToWire;
import io.cloudmw.proto.v1.Entry;
import io.cloudmw.proto.v1.ListRequest;
import io.cloudmw.proto.v1.ListResponse;
import java.util.Collection;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;

/** The directories of the coordinator's files. */
final class FakeListing {
    private FakeListing() {}

    /** The requested page, of at most {@code limit} names. */
    static ListResponse page(Collection<FileVersion> files, ListRequest request, int limit) throws CloudMwException {
        return page(files, Set.of(), request, limit);
    }

    /** The requested page, with directories that stay when they are empty. */
    static ListResponse page(Collection<FileVersion> files, Set<FilePath> directories, ListRequest request, int limit)
            throws CloudMwException {
        NavigableMap<String, Entry> children = children(files, request.getVolume(), request.getDirectory());
        String prefix = request.getVolume() + ":" + request.getDirectory().replaceAll("/$", "") + "/";
        for (FilePath directory : directories) {
            if (directory.toString().startsWith(prefix)) {
                String name = directory.toString().substring(prefix.length()).split("/", 2)[0];
                children.putIfAbsent(name, Entry.newBuilder().setName(name).build());
            }
        }
        boolean stays = directories.stream()
                .anyMatch(directory -> directory.toString().equals(request.getVolume() + ":" + request.getDirectory()));
        if (children.isEmpty()
                && !stays
                && request.getPageToken().isEmpty()
                && !request.getDirectory().equals("/")) {
            throw new CloudMwException(ErrorCode.NOT_FOUND, "no directory " + request.getDirectory());
        }
        List<Entry> found = children.tailMap(request.getPageToken(), false).values().stream()
                .limit(limit)
                .toList();
        return ListResponse.newBuilder()
                .addAllEntries(found)
                .setNextPageToken(
                        found.size() < limit ? "" : found.get(limit - 1).getName())
                .build();
    }

    private static NavigableMap<String, Entry> children(
            Collection<FileVersion> files, String volume, String directory) {
        String prefix = directory.endsWith("/") ? directory : directory + "/";
        NavigableMap<String, Entry> children = new TreeMap<>();
        for (FileVersion version : files) {
            FilePath file = version.file();
            if (file.volume().value().equals(volume) && file.path().startsWith(prefix)) {
                String below = file.path().substring(prefix.length());
                int slash = below.indexOf('/');
                Entry.Builder entry = Entry.newBuilder().setName(slash < 0 ? below : below.substring(0, slash));
                if (slash < 0) {
                    entry.setVersion(ToWire.version(version));
                }
                children.put(entry.getName(), entry.build());
            }
        }
        return children;
    }
}
