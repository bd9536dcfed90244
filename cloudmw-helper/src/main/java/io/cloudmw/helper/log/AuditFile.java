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
import ch.qos.logback.core.util.FileSize;
import io.cloudmw.coordinator.rpc.audit.AuditTrail;
import io.cloudmw.coordinator.server.AuditOptions;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import net.logstash.logback.encoder.LogstashEncoder;
import net.logstash.logback.fieldnames.LogstashFieldNames;
import org.slf4j.LoggerFactory;

/**
 * The file of the audit trail: a JSON line for each event, which only its owner can read. At most {@value #QUEUE} events
 * wait for the disk; a call whose event finds no room waits, too, so a slow disk delays calls and loses nothing. A full
 * disk loses events, which standard error says; calls go on. Closing writes what waits.
 */
public final class AuditFile implements AutoCloseable {
    /** The most events that wait. */
    static final int QUEUE = 8192;

    private static final String NO_FIELD = "[ignore]";

    private final Logger logger;
    private final AsyncAppender queue;

    /** Says on standard error why events are lost. */
    private final OnErrorConsoleStatusListener failures;

    private AuditFile(Logger logger, AsyncAppender queue, OnErrorConsoleStatusListener failures) {
        this.logger = logger;
        this.queue = queue;
        this.failures = failures;
    }

    /**
     * Opens the file for this process.
     *
     * @throws CloudMwException {@code LOCAL_IO} when it cannot be written
     */
    public static AuditFile open(AuditOptions options) throws CloudMwException {
        if (!(LoggerFactory.getILoggerFactory() instanceof LoggerContext context)) {
            throw new CloudMwException(ErrorCode.INTERNAL, "audit trail: the process logs by another library");
        }
        Path file = options.file().toAbsolutePath();
        OnErrorConsoleStatusListener failures = new OnErrorConsoleStatusListener();
        failures.setContext(context);
        failures.start();
        boolean unused = context.getStatusManager().add(failures);
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
        size.setCheckIncrement(ch.qos.logback.core.util.Duration.buildByMilliseconds(1));
        size.start();
        appender.setRollingPolicy(former);
        appender.setTriggeringPolicy(size);
        LogstashEncoder lines = lines(context);
        appender.setEncoder(lines);
        appender.start();
        if (!appender.isStarted()) {
            context.getStatusManager().remove(failures);
            throw new CloudMwException(ErrorCode.LOCAL_IO, "audit trail: " + file + " cannot be written");
        }
        AsyncAppender queue = new AsyncAppender();
        queue.setContext(context);
        queue.setQueueSize(QUEUE);
        queue.setDiscardingThreshold(0);
        queue.addAppender(appender);
        queue.start();
        Logger logger = context.getLogger(AuditTrail.LOGGER);
        logger.setAdditive(false);
        logger.addAppender(queue);
        logger.setLevel(Level.INFO);
        return new AuditFile(logger, queue, failures);
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
        logger.setLevel(Level.OFF);
        logger.detachAppender(queue);
        queue.stop();
        logger.getLoggerContext().getStatusManager().remove(failures);
    }
}
