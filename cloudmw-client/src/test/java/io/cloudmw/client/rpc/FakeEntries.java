package io.cloudmw.client.rpc;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.file.FileCopy;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.rpc.UnaryCalls;
import io.cloudmw.core.wire.EntryWire;
import io.cloudmw.core.wire.FromWire;
import io.cloudmw.core.wire.ToWire;
import io.cloudmw.proto.v1.CopyFileRequest;
import io.cloudmw.proto.v1.CopyFileResponse;
import io.cloudmw.proto.v1.CreateDirectoryRequest;
import io.cloudmw.proto.v1.CreateDirectoryResponse;
import io.cloudmw.proto.v1.EntriesGrpc;
import io.cloudmw.proto.v1.GetEntryRequest;
import io.cloudmw.proto.v1.GetEntryResponse;
import io.cloudmw.proto.v1.RemoveDirectoryRequest;
import io.cloudmw.proto.v1.RemoveDirectoryResponse;
import io.grpc.stub.StreamObserver;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A service of directories beside a map of files. It requires a call id for each change. Safe for any thread. */
final class FakeEntries extends EntriesGrpc.EntriesImplBase {
    private final UnaryCalls calls = new UnaryCalls(Runnable::run);
    private final Set<FilePath> directories = ConcurrentHashMap.newKeySet();
    private final Map<FilePath, FileVersion> files;

    FakeEntries(Map<FilePath, FileVersion> files) {
        this.files = files;
    }

    Set<FilePath> directories() {
        return directories;
    }

    private boolean isDirectory(String volumeAndPath) {
        return volumeAndPath.endsWith(":") || isDirectory(FilePath.parse(volumeAndPath));
    }

    private boolean isDirectory(FilePath path) {
        return directories.contains(path) || hasEntries(path);
    }

    private static String directoryOf(FilePath path) {
        String text = path.toString();
        return text.substring(0, text.lastIndexOf('/'));
    }

    private boolean hasEntries(FilePath directory) {
        String below = directory + "/";
        return files.keySet().stream().anyMatch(file -> file.toString().startsWith(below))
                || directories.stream().anyMatch(other -> other.toString().startsWith(below));
    }

    private static void requireCall(io.cloudmw.proto.v1.CallId call) throws CloudMwException {
        if (FromWire.callId(call).isEmpty()) {
            throw new CloudMwException(ErrorCode.INVALID_ARGUMENT, "call: without an id");
        }
    }

    @Override
    public void getEntry(GetEntryRequest request, StreamObserver<GetEntryResponse> observer) {
        calls.answer(observer, () -> {
            if (request.getPath().equals("/")) {
                return GetEntryResponse.newBuilder().setStays(true).build();
            }
            FilePath path = FromWire.file(request.getVolume(), request.getPath());
            FileVersion version = files.get(path);
            if (version != null) {
                return GetEntryResponse.newBuilder()
                        .setVersion(ToWire.version(version))
                        .build();
            }
            if (!isDirectory(path)) {
                if (request.getMayBeAbsent() && isDirectory(directoryOf(path))) {
                    return GetEntryResponse.newBuilder().setAbsent(true).build();
                }
                throw new CloudMwException(ErrorCode.NOT_FOUND, "file or directory " + path + " not found");
            }
            return GetEntryResponse.newBuilder()
                    .setStays(directories.contains(path))
                    .build();
        });
    }

    @Override
    public void createDirectory(CreateDirectoryRequest request, StreamObserver<CreateDirectoryResponse> observer) {
        calls.answer(observer, () -> {
            requireCall(request.getCall());
            FilePath path = FromWire.file(request.getVolume(), request.getPath());
            boolean there = directories.contains(path) || hasEntries(path);
            if (files.containsKey(path) || (there && !request.getParents())) {
                throw new CloudMwException(ErrorCode.ALREADY_EXISTS, path + " exists");
            }
            directories.add(path);
            return CreateDirectoryResponse.getDefaultInstance();
        });
    }

    @Override
    public void removeDirectory(RemoveDirectoryRequest request, StreamObserver<RemoveDirectoryResponse> observer) {
        calls.answer(observer, () -> {
            requireCall(request.getCall());
            FilePath path = FromWire.file(request.getVolume(), request.getPath());
            if (hasEntries(path)) {
                throw new CloudMwException(ErrorCode.NOT_EMPTY, path + " is a directory that is not empty");
            }
            if (!directories.remove(path)) {
                throw new CloudMwException(ErrorCode.NOT_FOUND, "directory " + path + " not found");
            }
            return RemoveDirectoryResponse.getDefaultInstance();
        });
    }

    @Override
    public void copyFile(CopyFileRequest request, StreamObserver<CopyFileResponse> observer) {
        calls.answer(observer, () -> {
            requireCall(request.getCall());
            FileCopy copy = EntryWire.copy(request);
            FileVersion version = files.get(copy.from());
            if (version == null) {
                throw new CloudMwException(ErrorCode.NOT_FOUND, "file " + copy.from() + " not found");
            }
            if (!copy.replace() && files.containsKey(copy.to())) {
                throw new CloudMwException(ErrorCode.ALREADY_EXISTS, copy.to() + " is a file");
            }
            files.put(copy.to(), version.at(copy.to()));
            return CopyFileResponse.newBuilder()
                    .setCopied(ToWire.version(version.at(copy.to())))
                    .build();
        });
    }
}
