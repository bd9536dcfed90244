package io.cloudmw.client.nio;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.rpc.Calls;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.status.StoreStatus;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.FileOwnerAttributeView;
import java.nio.file.attribute.FileStoreAttributeView;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The stores of a volume as the JDK's file store. The usable space is what fits into its stores with all replicas; a
 * bucket counts as unlimited.
 */
final class VolumeFileStore extends FileStore {
    private static final Set<Class<? extends FileAttributeView>> VIEWS = Set.of(
            BasicFileAttributeView.class,
            FileOwnerAttributeView.class,
            PosixFileAttributeView.class,
            UserDefinedFileAttributeView.class);

    private final CloudMw client;
    private final VolumeName volume;

    VolumeFileStore(CloudMw client, VolumeName volume) {
        this.client = client;
        this.volume = volume;
    }

    @Override
    public String name() {
        return volume.value();
    }

    @Override
    public String type() {
        return VolumeFileSystemProvider.SCHEME;
    }

    @Override
    public boolean isReadOnly() {
        return false;
    }

    /** The usable space: what files occupy is not counted. */
    @Override
    public long getTotalSpace() throws IOException {
        return getUsableSpace();
    }

    @Override
    public long getUsableSpace() throws IOException {
        Volume settings = Calls.await(client.volumes().get(volume));
        List<StoreStatus> stores = Calls.await(client.stores().list()).stream()
                .filter(status -> settings.stores().contains(status.store().id()))
                .toList();
        long sum = 0;
        for (StoreStatus status : stores) {
            long free = status.freeBytes().orElse(Long.MAX_VALUE);
            sum = free > Long.MAX_VALUE - sum ? Long.MAX_VALUE : sum + free;
        }
        return sum == Long.MAX_VALUE ? sum : sum / settings.replicas();
    }

    @Override
    public long getUnallocatedSpace() throws IOException {
        return getUsableSpace();
    }

    @Override
    public boolean supportsFileAttributeView(Class<? extends FileAttributeView> type) {
        return VIEWS.contains(type);
    }

    @Override
    public boolean supportsFileAttributeView(String name) {
        return VolumeFileSystem.VIEW_NAMES.contains(name);
    }

    @Override
    public <V extends FileStoreAttributeView> @Nullable V getFileStoreAttributeView(Class<V> type) {
        return null;
    }

    @Override
    public Object getAttribute(String attribute) throws IOException {
        return switch (attribute) {
            case "totalSpace", "usableSpace", "unallocatedSpace" -> getUsableSpace();
            default -> throw new UnsupportedOperationException("attribute: " + attribute);
        };
    }
}
