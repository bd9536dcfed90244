package io.cloudmw.core.upkeep;

import io.cloudmw.core.catalog.Catalog;
import io.cloudmw.core.catalog.Overlay;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.manifest.ManifestSegment;
import io.cloudmw.core.model.FileVersion;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.Volume;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/**
 * Every chunk of every current version, by the versions' ids, a segment at a time. Versions that come or go meanwhile may be
 * in it or not.
 */
final class ManifestWalk implements Walk {
    private static final int PAGE = 100;

    private final Catalog catalog;
    private final Deque<FileVersion> page = new ArrayDeque<>();
    private String token = "";
    private boolean last;
    private int segment;

    ManifestWalk(Catalog catalog) {
        this.catalog = catalog;
    }

    @Override
    public Optional<Stretch> next() throws CloudMwException {
        while (true) {
            FileVersion version = page.peek();
            if (version == null) {
                if (last) {
                    return Optional.empty();
                }
                turn();
            } else if (segment >= version.segmentCount()) {
                page.remove();
                segment = 0;
            } else {
                Optional<Stretch> found = stretch(version, segment++);
                if (found.isPresent()) {
                    return found;
                }
            }
        }
    }

    private void turn() throws CloudMwException {
        Page<FileVersion> next = catalog.live(token, PAGE);
        page.addAll(next.items());
        token = next.nextToken();
        last = token.isEmpty();
    }

    /** Empty when the version or its volume has gone meanwhile. */
    private Optional<Stretch> stretch(FileVersion version, int index) throws CloudMwException {
        Optional<Volume> volume = catalog.volume(version.file().volume());
        Optional<byte[]> bytes = catalog.segment(version.id(), index);
        if (volume.isEmpty() || bytes.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new Stretch(
                version.file(),
                volume.get(),
                Overlay.of(catalog, ManifestSegment.decode(index, bytes.get()).chunks())));
    }
}
