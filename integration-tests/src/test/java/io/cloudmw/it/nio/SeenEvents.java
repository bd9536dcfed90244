package io.cloudmw.it.nio;

import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The events that a watch service has told, as texts like {@code ENTRY_CREATE f}. Not safe for threads. */
final class SeenEvents {
    private static final long LIMIT_SECONDS = 60;

    private final WatchService service;
    private final List<String> events = new ArrayList<>();

    SeenEvents(WatchService service) {
        this.service = service;
    }

    /** Waits for an event; fails when none comes. */
    void await(String wanted) throws InterruptedException {
        while (!events.contains(wanted)) {
            WatchKey key = service.poll(LIMIT_SECONDS, TimeUnit.SECONDS);
            if (key == null) {
                throw new AssertionError("no event " + wanted + " in " + LIMIT_SECONDS + " s: " + events);
            }
            for (WatchEvent<?> event : key.pollEvents()) {
                events.add(event.kind() + " " + event.context());
            }
            boolean unused = key.reset();
        }
    }

    /** Waits until a key is signalled that is not valid any more. */
    void awaitInvalid(WatchKey wanted) throws InterruptedException {
        while (wanted.isValid()) {
            WatchKey key = service.poll(LIMIT_SECONDS, TimeUnit.SECONDS);
            if (key == null) {
                throw new AssertionError("the key is valid after " + LIMIT_SECONDS + " s: " + events);
            }
            key.pollEvents().forEach(event -> events.add(event.kind() + " " + event.context()));
            boolean unused = key.reset();
        }
    }

    List<String> all() {
        return events;
    }
}
