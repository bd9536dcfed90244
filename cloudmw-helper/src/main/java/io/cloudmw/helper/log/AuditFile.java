package io.cloudmw.helper.log;

import ch.qos.logback.classic.AsyncAppender;
import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.rolling.FixedWindowRollingPolicy;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.rolling.SizeBasedTriggeringPolicy;
import ch.qos.logback.core.status.OnErrorConsoleStatusListener;
import ch.qos.logback.core.status.Status;
import ch.qos.logback.core.util.Duration;
import ch.qos.logback.core.util.FileSize;
import io.cloudmw.coordinator.rpc.audit.AuditTrail;
import io.cloudmw.core.audit.AuditFileOptions;
import io.cloudmw.core.audit.RefusalTrail;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.LinkedHashMap;
import java.util.Map;
import net.logstash.logback.encoder.LogstashEncoder;
import net.logstash.logback.fieldnames.LogstashFieldNames;
import org.slf4j.LoggerFactory;

/**
 * The files of the audit trail, which only their owner can read: a JSON line for each event. A coordinator has changes in
 * the file that the settings name, refusals and accesses in the one beside it whose name begins with {@value #CALLS}. A
 * helper has one file, of refusals. In each at
 * most {@value #QUEUE} events wait for the disk. Beyond that an administrative change waits, so that a slow disk delays it and
 * loses nothing; events of refusals and accesses are lost. A full disk loses events, which standard error says; calls go on. Closing writes what
 * waits.
 */
public final class AuditFile implements AutoCloseable {
    /** The most events that wait in a file. */
    static final int QUEUE = 8192;

    /** The beginning of the name of the file of refusals and accesses. */
    static final String CALLS = "calls-";

    private static final String NO_FIELD = "[ignore]";

    private final LoggerContext context;
    private final Map<Logger, AsyncAppender> queues = new LinkedHashMap<>();

    /** Says on standard error why events are lost. */
    private final OnErrorConsoleStatusListener failures = new Failures();

    private AuditFile(LoggerContext context) {
        this.context = context;
        failures.setContext(context);
        failures.setRetrospective(0);
        failures.start();
        boolean unused = context.getStatusManager().add(failures);
    }

    /**
     * Opens the files of a coordinator for this process.
     *
     * @throws CloudMwException {@code LOCAL_IO} when one cannot be written
     */
    public static AuditFile open(AuditFileOptions options) throws CloudMwException {
        Path changes = options.file().toAbsolutePath();
        return open(files -> {
            files.open(AuditTrail.CHANGES, changes, options, true);
            files.open(RefusalTrail.CALLS, changes.resolveSibling(CALLS + changes.getFileName()), options, false);
        });
    }

    /**
     * Opens the file of a helper for this process, which has refusals alone.
     *
     * @throws CloudMwException {@code LOCAL_IO} when it cannot be written
     */
    public static AuditFile openCalls(AuditFileOptions options) throws CloudMwException {
        Path calls = options.file().toAbsolutePath();
        Path directory = calls.getParent();
        try {
            if (directory != null) {
                Files.createDirectories(
                        directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            }
        } catch (IOException e) {
            throw new CloudMwException(
                    ErrorCode.LOCAL_IO, "audit trail: " + directory + " cannot be made: " + Reasons.of(e), e);
        }
        return open(files -> files.open(RefusalTrail.CALLS, calls, options, false));
    }

    /** Opens some of the files. */
    @FunctionalInterface
    private interface Opening {
        void open(AuditFile files) throws CloudMwException;
    }

    private static AuditFile open(Opening opening) throws CloudMwException {
        if (!(LoggerFactory.getILoggerFactory() instanceof LoggerContext context)) {
            throw new CloudMwException(ErrorCode.INTERNAL, "audit trail: the process logs by another library");
        }
        AuditFile files = new AuditFile(context);
        boolean opened = false;
        try {
            opening.open(files);
            opened = true;
            return files;
        } finally {
            if (!opened) {
                files.close();
            }
        }
    }

    private void open(String name, Path file, AuditFileOptions options, boolean waits) throws CloudMwException {
        RollingFileAppender<ILoggingEvent> appender = new PrivateFileAppender();
        appender.setContext(context);
        appender.setFile(file.toString());
        FixedWindowRollingPolicy former = new FixedWindowRollingPolicy();
        former.setContext(context);
        former.setParent(appender);
        former.setFileNamePattern(file + ".%i");
        former.setMinIndex(1);
        former.setMaxIndex(options.files());
        former.start();
        SizeBasedTriggeringPolicy<ILoggingEvent> size = new SizeBasedTriggeringPolicy<>();
        size.setContext(context);
        size.setMaxFileSize(new FileSize(options.fileBytes()));
        size.setCheckIncrement(Duration.buildByMilliseconds(1));
        size.start();
        appender.setRollingPolicy(former);
        appender.setTriggeringPolicy(size);
        appender.setEncoder(lines(context));
        appender.start();
        if (!appender.isStarted()) {
            throw new CloudMwException(ErrorCode.LOCAL_IO, "audit trail: " + file + " cannot be written");
        }
        AsyncAppender queue = new AsyncAppender();
        queue.setContext(context);
        queue.setQueueSize(QUEUE);
        queue.setDiscardingThreshold(0);
        queue.setNeverBlock(!waits);
        queue.addAppender(appender);
        queue.start();
        Logger logger = context.getLogger(name);
        logger.setAdditive(false);
        logger.addAppender(queue);
        logger.setLevel(Level.INFO);
        queues.put(logger, queue);
    }

    private static LogstashEncoder lines(LoggerContext context) {
        LogstashFieldNames names = new LogstashFieldNames();
        names.setTimestamp("time");
        names.setVersion(NO_FIELD);
        names.setLevel(NO_FIELD);
        names.setLevelValue(NO_FIELD);
        names.setLogger(NO_FIELD);
        names.setThread(NO_FIELD);
        names.setMessage(NO_FIELD);
        LogstashEncoder lines = new LogstashEncoder();
        lines.setContext(context);
        lines.setFieldNames(names);
        lines.setTimeZone("UTC");
        lines.start();
        return lines;
    }

    /** A listener that prints failures alone. */
    private static final class Failures extends OnErrorConsoleStatusListener {
        @Override
        public void addStatusEvent(Status status) {
            if (status.getEffectiveLevel() >= Status.ERROR) {
                super.addStatusEvent(status);
            }
        }
    }

    /** An appender whose files only their owner can read. */
    private static final class PrivateFileAppender extends RollingFileAppender<ILoggingEvent> {
        @Override
        public void openFile(String name) throws IOException {
            Path file = Path.of(name);
            Path directory = file.getParent();
            if (directory != null) {
                Files.createDirectories(directory);
            }
            if (!Files.exists(file)) {
                Files.createFile(
                        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            }
            super.openFile(name);
        }
    }

    @Override
    public void close() {
        queues.forEach((logger, queue) -> {
            logger.setLevel(Level.OFF);
            logger.detachAppender(queue);
            queue.stop();
        });
        context.getStatusManager().remove(failures);
    }
}
