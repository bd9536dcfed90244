package io.cloudmw.coordinator.page;

import io.cloudmw.coordinator.read.RecordedReads;
import io.cloudmw.core.model.volume.ReadTarget;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.recording.RecordedRead;
import java.util.List;
import java.util.Optional;

/** The recorded reads as the web page shows them. Safe for any thread. */
final class PageReads {
    private static final String SILENT = "SILENT";

    private final RecordedReads records;

    PageReads(RecordedReads records) {
        this.records = records;
    }

    List<ShownRead> recent(List<Volume> volumes) {
        return records.recent().stream().map(read -> read(read, volumes)).toList();
    }

    Optional<ShownTimeline> find(String id, List<Volume> volumes) {
        return records.find(id)
                .map(read -> new ShownTimeline(
                        read(read, volumes),
                        read.attempts().stream().map(ShownTimeline.Attempt::of).toList(),
                        read.omittedAttempts()));
    }

    private ShownRead read(RecordedRead read, List<Volume> volumes) {
        Optional<ReadTarget> target = volumes.stream()
                .filter(volume -> volume.name().value().equals(read.volume()))
                .findFirst()
                .flatMap(Volume::target);
        return new ShownRead(
                read.id(),
                read.volume(),
                read.path(),
                read.mode().label(),
                read.silent() ? SILENT : read.state().name(),
                read.began().toEpochMilli(),
                read.elapsedNanos(),
                read.wantedBytes(),
                read.error(),
                target.map(limit ->
                                limit.deadline(Math.max(1, read.wantedBytes())).toNanos())
                        .orElse(0L));
    }

    static boolean isFailed(ShownRead read) {
        return read.state().equals(RecordedRead.State.FAILED.name());
    }

    private static boolean isDelivered(ShownRead read) {
        return read.state().equals(RecordedRead.State.DELIVERED.name());
    }

    /** Returns whether the read was delivered or failed. */
    static boolean isEnded(ShownRead read) {
        return isDelivered(read) || isFailed(read);
    }

    /** Returns whether the read was delivered in the time that its volume's target allows. */
    static boolean isInTime(ShownRead read) {
        return isDelivered(read) && read.limitNanos() > 0 && read.elapsedNanos() <= read.limitNanos();
    }
}
