package io.cloudmw.core.error;

import java.io.IOException;
import java.net.UnknownHostException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** The operating system's reasons for failures, in words for people, without names of Java classes. */
public final class Reasons {
    /** The parts of the system's own messages that the JDK or Netty pass on. */
    private static final Map<String, String> KNOWN = Map.of(
            "Address already in use", "another process listens there already",
            "Cannot assign requested address", "this machine has no such address",
            "Can't assign requested address", "this machine has no such address",
            "Unresolved address", "no such host",
            "Connection refused", "connection refused",
            "Connection reset", "connection reset",
            "No route to host", "no route to host",
            "Network is unreachable", "network unreachable",
            "Permission denied", "permission denied");

    private Reasons() {}

    /** The failure of a future, without the exceptions that futures wrap it in. */
    public static Throwable unwrapped(Throwable failure) {
        Throwable cause = failure;
        while ((cause instanceof CompletionException || cause instanceof ExecutionException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }

    /** The reason of a failure: its innermost cause, which is the system's. */
    public static String of(Throwable failure) {
        if (failure instanceof CloudMwException || failure.getCause() == null) {
            return ofOne(failure);
        }
        return of(failure.getCause());
    }

    private static String ofOne(Throwable failure) {
        if (failure instanceof NoSuchFileException) {
            return "no such file or directory";
        }
        if (failure instanceof AccessDeniedException) {
            return "permission denied";
        }
        if (failure instanceof FileAlreadyExistsException) {
            return "it exists already";
        }
        if (failure instanceof UnknownHostException || failure instanceof UnresolvedAddressException) {
            return "no such host";
        }
        String text = failure instanceof FileSystemException named ? named.getReason() : failure.getMessage();
        if (text == null) {
            return failure instanceof IOException ? "the system does not say why" : failure.toString();
        }
        return KNOWN.entrySet().stream()
                .filter(known -> text.contains(known.getKey()))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse(text);
    }
}
