#include "callbacks.h"

#include <cstring>

#include "tensor_map.h"

#define CALL(name) CUPTI_DRIVER_TRACE_CBID_##name

namespace tilescope::capture {
namespace {

template <class Parameters>
const Parameters& as(const CUpti_CallbackData& data) {
  return *static_cast<const Parameters*>(data.functionParams);
}

std::uint64_t address_of(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

bool is_launch(CUpti_CallbackId id) {
  return id == CALL(cuLaunchKernel) || id == CALL(cuLaunchKernel_ptsz) || id == CALL(cuLaunchKernelEx) ||
         id == CALL(cuLaunchKernelEx_ptsz) || id == CALL(cuLaunchCooperativeKernel) ||
         id == CALL(cuLaunchCooperativeKernel_ptsz);
}

// The forms of a call share their parameters with and without _ptsz (null streams are the thread's own).
LaunchCall launch_call(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  LaunchCall call;
  call.symbol = data.symbolName;
  call.per_thread_stream = id == CALL(cuLaunchKernel_ptsz) || id == CALL(cuLaunchKernelEx_ptsz) ||
                           id == CALL(cuLaunchCooperativeKernel_ptsz);
  const auto take = [&call](const auto& from) {
    call.grid = {from.gridDimX, from.gridDimY, from.gridDimZ};
    call.block = {from.blockDimX, from.blockDimY, from.blockDimZ};
    call.dynamic_shared = from.sharedMemBytes;
    call.stream = from.hStream;
  };
  if (id == CALL(cuLaunchKernelEx) || id == CALL(cuLaunchKernelEx_ptsz)) {
    const auto& from = as<cuLaunchKernelEx_params>(data);
    call.function = from.f;
    call.parameters = from.kernelParams;
    call.extra = from.extra;
    if (from.config == nullptr) return call;
    take(*from.config);
    call.attributes.add(from.config->attrs, from.config->numAttrs);
  } else if (id == CALL(cuLaunchKernel) || id == CALL(cuLaunchKernel_ptsz)) {
    const auto& from = as<cuLaunchKernel_params>(data);
    take(from);
    call.function = from.f;
    call.parameters = from.kernelParams;
    call.extra = from.extra;
  } else {
    const auto& from = as<cuLaunchCooperativeKernel_params>(data);
    take(from);
    call.function = from.f;
    call.parameters = from.kernelParams;
    call.attributes.set(CU_LAUNCH_ATTRIBUTE_COOPERATIVE, 1);
  }
  return call;
}

// Memory goes when the call begins: afterwards another thread may own the address.
void on_entry(Recorder& recorder, CUpti_CallbackId id, const CUpti_CallbackData& data) {
  const auto forget = [&recorder](std::uint64_t address) {
    recorder.change([&](Kernels&, Allocations& memory, Graphs&) { memory.remove(address); });
  };
  switch (id) {
    case CALL(cuMemFree_v2):
      return forget(as<cuMemFree_v2_params>(data).dptr);
    case CALL(cuMemFreeAsync):
    case CALL(cuMemFreeAsync_ptsz):
      return forget(as<cuMemFreeAsync_params>(data).dptr);
    case CALL(cuMemFreeHost):
      return forget(address_of(as<cuMemFreeHost_params>(data).p));
    case CALL(cuMemHostUnregister):
      return forget(address_of(as<cuMemHostUnregister_params>(data).p));
    case CALL(cuMemUnmap): {
      const auto& from = as<cuMemUnmap_params>(data);
      return recorder.change([&](Kernels&, Allocations& memory, Graphs&) { memory.unmap(from.ptr, from.size); });
    }
    default:
      if (is_launch(id) && recorder.options().memory != Memory::none) recorder.before_launch(launch_call(id, data));
  }
}

// False: no call about memory.
bool on_memory(Recorder& recorder, CUpti_CallbackId id, const CUpti_CallbackData& data) {
  const auto note = [&recorder](std::uint64_t address, std::uint64_t bytes) {
    recorder.allocated(address, bytes);
    return true;
  };
  switch (id) {
    case CALL(cuMemAlloc_v2):
      return note(*as<cuMemAlloc_v2_params>(data).dptr, as<cuMemAlloc_v2_params>(data).bytesize);
    case CALL(cuMemAllocPitch_v2): {
      const auto& from = as<cuMemAllocPitch_v2_params>(data);
      return note(*from.dptr, *from.pPitch * from.Height);
    }
    case CALL(cuMemAllocManaged):
      return note(*as<cuMemAllocManaged_params>(data).dptr, as<cuMemAllocManaged_params>(data).bytesize);
    case CALL(cuMemAllocAsync):
    case CALL(cuMemAllocAsync_ptsz):
      return note(*as<cuMemAllocAsync_params>(data).dptr, as<cuMemAllocAsync_params>(data).bytesize);
    case CALL(cuMemAllocFromPoolAsync):
    case CALL(cuMemAllocFromPoolAsync_ptsz):
      return note(*as<cuMemAllocFromPoolAsync_params>(data).dptr, as<cuMemAllocFromPoolAsync_params>(data).bytesize);
    case CALL(cuMemHostAlloc):
    case CALL(cuMemHostAlloc_v2):
      return note(address_of(*as<cuMemHostAlloc_params>(data).pp), as<cuMemHostAlloc_params>(data).bytesize);
    case CALL(cuMemAllocHost_v2):
      return note(address_of(*as<cuMemAllocHost_v2_params>(data).pp), as<cuMemAllocHost_v2_params>(data).bytesize);
    case CALL(cuMemHostRegister_v2):
      return note(address_of(as<cuMemHostRegister_v2_params>(data).p), as<cuMemHostRegister_v2_params>(data).bytesize);
    case CALL(cuGraphAddMemAllocNode): {
      const auto* node = as<cuGraphAddMemAllocNode_params>(data).nodeParams;
      return note(node->dptr, node->bytesize);
    }
    case CALL(cuMemMap): {
      const auto& from = as<cuMemMap_params>(data);
      recorder.change([&](Kernels&, Allocations& memory, Graphs&) { memory.map(from.ptr, from.size); });
      return true;
    }
    default:
      return false;
  }
}

// False: no call about code.
bool on_code(Recorder& recorder, CUpti_CallbackId id, const CUpti_CallbackData& data) {
  const auto container = [&recorder](const void* made, const void* image) {
    recorder.change([&](Kernels& kernels, Allocations&, Graphs&) { kernels.container_made(made, image); });
    return true;
  };
  const auto carveout = [&recorder](const void* function, CUfunction_attribute attribute, int value) {
    if (attribute == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT)
      recorder.change([&](Kernels& kernels, Allocations&, Graphs&) { kernels.set_carveout(function, value); });
    return true;
  };
  switch (id) {
    case CALL(cuModuleLoad):
      return container(*as<cuModuleLoad_params>(data).module, nullptr);
    case CALL(cuModuleLoadData):
      return container(*as<cuModuleLoadData_params>(data).module, as<cuModuleLoadData_params>(data).image);
    case CALL(cuModuleLoadDataEx):
      return container(*as<cuModuleLoadDataEx_params>(data).module, as<cuModuleLoadDataEx_params>(data).image);
    case CALL(cuModuleLoadFatBinary):
      return container(*as<cuModuleLoadFatBinary_params>(data).module, nullptr);
    case CALL(cuLibraryLoadData):
      return container(*as<cuLibraryLoadData_params>(data).library, as<cuLibraryLoadData_params>(data).code);
    case CALL(cuLibraryLoadFromFile):
      return container(*as<cuLibraryLoadFromFile_params>(data).library, nullptr);
    case CALL(cuModuleGetFunction): {
      const auto& from = as<cuModuleGetFunction_params>(data);
      recorder.change(
          [&](Kernels& kernels, Allocations&, Graphs&) { kernels.function_made(*from.hfunc, from.hmod, from.name); });
      return true;
    }
    case CALL(cuLibraryGetKernel): {
      const auto& from = as<cuLibraryGetKernel_params>(data);
      recorder.change([&](Kernels& kernels, Allocations&, Graphs&) {
        kernels.function_made(*from.pKernel, from.library, from.name);
      });
      return true;
    }
    case CALL(cuKernelGetFunction): {
      const auto& from = as<cuKernelGetFunction_params>(data);
      recorder.change(
          [&](Kernels& kernels, Allocations&, Graphs&) { kernels.same_function(*from.pFunc, from.kernel); });
      return true;
    }
    case CALL(cuFuncSetAttribute):
      return carveout(as<cuFuncSetAttribute_params>(data).hfunc, as<cuFuncSetAttribute_params>(data).attrib,
                      as<cuFuncSetAttribute_params>(data).value);
    case CALL(cuKernelSetAttribute):
      return carveout(as<cuKernelSetAttribute_params>(data).kernel, as<cuKernelSetAttribute_params>(data).attrib,
                      as<cuKernelSetAttribute_params>(data).val);
    case CALL(cuTensorMapEncodeTiled): {
      const auto& from = as<cuTensorMapEncodeTiled_params>(data);
      recorder.tensor_map_encoded(from.tensorMap,
                                  describe({from.tensorDataType, from.tensorRank, address_of(from.globalAddress),
                                            from.globalDim, from.globalStrides, from.boxDim, from.elementStrides,
                                            from.interleave, from.swizzle, from.l2Promotion, from.oobFill}));
      return true;
    }
    default:
      return false;
  }
}

void on_graph(Recorder& recorder, CUpti_CallbackId id, const CUpti_CallbackData& data) {
  switch (id) {
    case CALL(cuStreamBeginCapture):
    case CALL(cuStreamBeginCapture_ptsz):
    case CALL(cuStreamBeginCapture_v2):
    case CALL(cuStreamBeginCapture_v2_ptsz):
    case CALL(cuStreamBeginCaptureToGraph):
    case CALL(cuStreamBeginCaptureToGraph_ptsz):
      return recorder.capture_began();
    case CALL(cuStreamEndCapture):
    case CALL(cuStreamEndCapture_ptsz):
      return recorder.capture_ended();
    case CALL(cuGraphAddKernelNode): {
      const auto& from = as<cuGraphAddKernelNode_params>(data);
      CUDA_KERNEL_NODE_PARAMS node{};
      std::memcpy(&node, from.nodeParams, sizeof *from.nodeParams);  // the newer form begins as the older
      return recorder.node_added(from.hGraph, *from.phGraphNode, node_call(node));
    }
    case CALL(cuGraphAddKernelNode_v2): {
      const auto& from = as<cuGraphAddKernelNode_v2_params>(data);
      return recorder.node_added(from.hGraph, *from.phGraphNode, node_call(*from.nodeParams));
    }
    case CALL(cuGraphAddNode): {
      const auto& from = as<cuGraphAddNode_params>(data);
      if (from.nodeParams->type == CU_GRAPH_NODE_TYPE_KERNEL)
        recorder.node_added(from.hGraph, *from.phGraphNode, node_call(from.nodeParams->kernel));
      return;
    }
    case CALL(cuGraphAddNode_v2): {
      const auto& from = as<cuGraphAddNode_v2_params>(data);
      if (from.nodeParams->type == CU_GRAPH_NODE_TYPE_KERNEL)
        recorder.node_added(from.hGraph, *from.phGraphNode, node_call(from.nodeParams->kernel));
      return;
    }
    case CALL(cuGraphKernelNodeSetParams_v2): {
      const auto& from = as<cuGraphKernelNodeSetParams_v2_params>(data);
      return recorder.node_changed(from.hNode, node_call(*from.nodeParams));
    }
    case CALL(cuGraphExecKernelNodeSetParams_v2): {
      const auto& from = as<cuGraphExecKernelNodeSetParams_v2_params>(data);
      return recorder.executable_node_changed(from.hGraphExec, from.hNode, node_call(*from.nodeParams));
    }
    case CALL(cuGraphAddChildGraphNode): {
      const auto& from = as<cuGraphAddChildGraphNode_params>(data);
      return recorder.change(
          [&](Kernels&, Allocations&, Graphs& graphs) { graphs.add_child(from.hGraph, from.childGraph); });
    }
    case CALL(cuGraphClone): {
      const auto& from = as<cuGraphClone_params>(data);
      return recorder.change(
          [&](Kernels&, Allocations&, Graphs& graphs) { graphs.copy(*from.phGraphClone, from.originalGraph); });
    }
    case CALL(cuGraphInstantiate_v2): {
      const auto& from = as<cuGraphInstantiate_v2_params>(data);
      return recorder.instantiated(*from.phGraphExec, from.hGraph);
    }
    case CALL(cuGraphInstantiateWithFlags): {
      const auto& from = as<cuGraphInstantiateWithFlags_params>(data);
      return recorder.instantiated(*from.phGraphExec, from.hGraph);
    }
    case CALL(cuGraphInstantiateWithParams):
    case CALL(cuGraphInstantiateWithParams_ptsz): {
      const auto& from = as<cuGraphInstantiateWithParams_params>(data);
      return recorder.instantiated(*from.phGraphExec, from.hGraph);
    }
    case CALL(cuGraphExecUpdate_v2): {
      const auto& from = as<cuGraphExecUpdate_v2_params>(data);
      return recorder.instantiated(from.hGraphExec, from.hGraph);
    }
    case CALL(cuGraphLaunch):
    case CALL(cuGraphLaunch_ptsz): {
      const auto& from = as<cuGraphLaunch_params>(data);
      return recorder.graph_launched(from.hGraph, from.hStream, id == CALL(cuGraphLaunch_ptsz));
    }
    case CALL(cuGraphDestroy): {
      const auto& from = as<cuGraphDestroy_params>(data);
      return recorder.change([&](Kernels&, Allocations&, Graphs& graphs) { graphs.forget_graph(from.hGraph); });
    }
    case CALL(cuGraphExecDestroy): {
      const auto& from = as<cuGraphExecDestroy_params>(data);
      return recorder.change(
          [&](Kernels&, Allocations&, Graphs& graphs) { graphs.forget_executable(from.hGraphExec); });
    }
    case CALL(cuProfilerStart):
    case CALL(cuProfilerStop):
      return recorder.profiler_switched(id == CALL(cuProfilerStart));
    case CALL(cuStreamDestroy_v2):
      return recorder.stream_destroyed(as<cuStreamDestroy_v2_params>(data).hStream);
    default:
      return;
  }
}

}  // namespace

const std::vector<CUpti_CallbackId>& driver_calls() {
  static const std::vector<CUpti_CallbackId> all = {CALL(cuLaunchKernel),
                                                    CALL(cuLaunchKernel_ptsz),
                                                    CALL(cuLaunchKernelEx),
                                                    CALL(cuLaunchKernelEx_ptsz),
                                                    CALL(cuLaunchCooperativeKernel),
                                                    CALL(cuLaunchCooperativeKernel_ptsz),
                                                    CALL(cuLaunchCooperativeKernelMultiDevice),
                                                    CALL(cuLaunch),
                                                    CALL(cuLaunchGrid),
                                                    CALL(cuLaunchGridAsync),
                                                    CALL(cuMemAlloc_v2),
                                                    CALL(cuMemAllocPitch_v2),
                                                    CALL(cuMemAllocManaged),
                                                    CALL(cuMemAllocAsync),
                                                    CALL(cuMemAllocAsync_ptsz),
                                                    CALL(cuMemAllocFromPoolAsync),
                                                    CALL(cuMemAllocFromPoolAsync_ptsz),
                                                    CALL(cuMemHostAlloc),
                                                    CALL(cuMemHostAlloc_v2),
                                                    CALL(cuMemAllocHost_v2),
                                                    CALL(cuMemHostRegister_v2),
                                                    CALL(cuMemHostUnregister),
                                                    CALL(cuMemFree_v2),
                                                    CALL(cuMemFreeAsync),
                                                    CALL(cuMemFreeAsync_ptsz),
                                                    CALL(cuMemFreeHost),
                                                    CALL(cuMemMap),
                                                    CALL(cuMemUnmap),
                                                    CALL(cuGraphAddMemAllocNode),
                                                    CALL(cuModuleLoad),
                                                    CALL(cuModuleLoadData),
                                                    CALL(cuModuleLoadDataEx),
                                                    CALL(cuModuleLoadFatBinary),
                                                    CALL(cuLibraryLoadData),
                                                    CALL(cuLibraryLoadFromFile),
                                                    CALL(cuModuleGetFunction),
                                                    CALL(cuLibraryGetKernel),
                                                    CALL(cuKernelGetFunction),
                                                    CALL(cuFuncSetAttribute),
                                                    CALL(cuKernelSetAttribute),
                                                    CALL(cuTensorMapEncodeTiled),
                                                    CALL(cuStreamBeginCapture),
                                                    CALL(cuStreamBeginCapture_ptsz),
                                                    CALL(cuStreamBeginCapture_v2),
                                                    CALL(cuStreamBeginCapture_v2_ptsz),
                                                    CALL(cuStreamBeginCaptureToGraph),
                                                    CALL(cuStreamBeginCaptureToGraph_ptsz),
                                                    CALL(cuStreamEndCapture),
                                                    CALL(cuStreamEndCapture_ptsz),
                                                    CALL(cuStreamDestroy_v2),
                                                    CALL(cuGraphAddKernelNode),
                                                    CALL(cuGraphAddKernelNode_v2),
                                                    CALL(cuGraphAddNode),
                                                    CALL(cuGraphAddNode_v2),
                                                    CALL(cuGraphKernelNodeSetParams_v2),
                                                    CALL(cuGraphExecKernelNodeSetParams_v2),
                                                    CALL(cuGraphAddChildGraphNode),
                                                    CALL(cuGraphClone),
                                                    CALL(cuGraphInstantiate_v2),
                                                    CALL(cuGraphInstantiateWithFlags),
                                                    CALL(cuGraphInstantiateWithParams),
                                                    CALL(cuGraphInstantiateWithParams_ptsz),
                                                    CALL(cuGraphExecUpdate_v2),
                                                    CALL(cuGraphLaunch),
                                                    CALL(cuGraphLaunch_ptsz),
                                                    CALL(cuGraphDestroy),
                                                    CALL(cuGraphExecDestroy),
                                                    CALL(cuProfilerStart),
                                                    CALL(cuProfilerStop)};
  return all;
}

const std::vector<CUpti_CallbackId>& resource_events() {
  static const std::vector<CUpti_CallbackId> all = {CUPTI_CBID_RESOURCE_MODULE_LOADED,
                                                    CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING};
  return all;
}

void on_driver_call(Recorder& recorder, CUpti_CallbackId id, const CUpti_CallbackData& data) {
  if (data.callbackSite == CUPTI_API_ENTER) return on_entry(recorder, id, data);
  // A call that failed did nothing.
  if (*static_cast<const CUresult*>(data.functionReturnValue) == CUDA_SUCCESS) {
    if (is_launch(id))
      recorder.launched(launch_call(id, data));
    else if (id == CALL(cuLaunch) || id == CALL(cuLaunchGrid) || id == CALL(cuLaunchGridAsync) ||
             id == CALL(cuLaunchCooperativeKernelMultiDevice))
      recorder.refuse(data.symbolName == nullptr ? "(unknown)" : data.symbolName,
                      std::string("launched by ") + data.functionName + ", which is not recorded");
    else if (!on_memory(recorder, id, data) && !on_code(recorder, id, data))
      on_graph(recorder, id, data);
  }
  Kernels::end_of_call();
}

void on_resource_event(Recorder& recorder, CUpti_CallbackId id, const CUpti_ResourceData& data) {
  const auto* module = static_cast<const CUpti_ModuleResourceData*>(data.resourceDescriptor);
  if (module == nullptr) return;
  if (id == CUPTI_CBID_RESOURCE_MODULE_LOADED)
    return recorder.loaded(module->moduleId, module->pCubin, module->cubinSize);
  recorder.change([&](Kernels& kernels, Allocations&, Graphs&) { kernels.unloaded(module->moduleId); });
}

}  // namespace tilescope::capture
