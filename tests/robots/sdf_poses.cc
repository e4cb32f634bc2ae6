// Prints the poses of all links, frames and models of an SDF file in the world, and the axes of all joints, as JSON.
//
//   g++ -std=c++17 sdf_poses.cc $(pkg-config --cflags --libs sdformat12) -o sdf_poses
//   ./sdf_poses FILE [DIRECTORY_OF_MODELS…]
#include <cstdio>
#include <iostream>
#include <string>

#include <sdf/sdf.hh>

using ignition::math::Pose3d;
using ignition::math::Vector3d;

static bool first = true;

static void print(const char *kind, const std::string &name, const Pose3d &pose, const std::string &more = "") {
  const auto &p = pose.Pos();
  const auto &q = pose.Rot();
  std::printf("%s{\"kind\":\"%s\",\"name\":\"%s\",\"t\":[%.17g,%.17g,%.17g],\"q\":[%.17g,%.17g,%.17g,%.17g]%s}", first ? "" : ",\n",
              kind, name.c_str(), p.X(), p.Y(), p.Z(), q.X(), q.Y(), q.Z(), q.W(), more.c_str());
  first = false;
}

static std::string number(const char *name, double value) {
  char text[64];
  std::snprintf(text, sizeof text, ",\"%s\":%.17g", name, value);
  return text;
}

static void model(const sdf::Model &model, const Pose3d &above, const std::string &prefix, bool is_single) {
  Pose3d own;
  model.SemanticPose().Resolve(own);
  own = above * own;
  print("model", prefix + model.Name(), own, std::string(",\"static\":") + (model.Static() ? "true" : "false"));
  const std::string inside = is_single ? "" : prefix + model.Name() + "::";
  for (uint64_t i = 0; i < model.LinkCount(); ++i) {
    const auto *link = model.LinkByIndex(i);
    Pose3d pose;
    link->SemanticPose().Resolve(pose, "__model__");
    const auto &inertial = link->Inertial();
    const auto center = inertial.Pose().Pos();
    const auto moment = inertial.Moi();
    char text[512];
    std::snprintf(text, sizeof text, ",\"mass\":%.17g,\"center\":[%.17g,%.17g,%.17g],\"inertia\":[%.17g,%.17g,%.17g,%.17g,%.17g,%.17g]",
                  inertial.MassMatrix().Mass(), center.X(), center.Y(), center.Z(), moment(0, 0), moment(1, 1), moment(2, 2),
                  moment(0, 1), moment(0, 2), moment(1, 2));
    print("link", inside + link->Name(), own * pose, text);
  }
  for (uint64_t i = 0; i < model.FrameCount(); ++i) {
    const auto *frame = model.FrameByIndex(i);
    Pose3d pose;
    frame->SemanticPose().Resolve(pose, "__model__");
    print("frame", inside + frame->Name(), own * pose);
  }
  for (uint64_t i = 0; i < model.JointCount(); ++i) {
    const auto *joint = model.JointByIndex(i);
    Pose3d pose;
    joint->SemanticPose().Resolve(pose, "__model__");
    std::string more = ",\"type\":" + std::to_string(static_cast<int>(joint->Type()));
    if (const auto *axis = joint->Axis(0)) {
      Vector3d xyz;
      axis->ResolveXyz(xyz, "__model__");
      xyz = own.Rot() * xyz;
      char text[256];
      std::snprintf(text, sizeof text, ",\"axis\":[%.17g,%.17g,%.17g]", xyz.X(), xyz.Y(), xyz.Z());
      more += text + number("damping", axis->Damping()) + number("friction", axis->Friction());
    }
    std::string child;
    joint->ResolveChildLink(child);
    print("joint", inside + joint->Name(), own * pose, more + ",\"child\":\"" + inside + child + "\"");
  }
  for (uint64_t i = 0; i < model.ModelCount(); ++i) ::model(*model.ModelByIndex(i), own, inside, false);
}

int main(int count, char **words) {
  sdf::ParserConfig config = sdf::ParserConfig::GlobalConfig();
  for (int i = 2; i < count; ++i) config.AddURIPath("model://", words[i]);
  sdf::Root root;
  const auto errors = root.Load(words[1], config);
  for (const auto &error : errors) std::cerr << error.Message() << "\n";
  std::printf("[");
  if (const auto *only = root.Model()) model(*only, Pose3d::Zero, "", true);
  if (root.WorldCount() > 0) {
    const auto *world = root.WorldByIndex(0);
    for (uint64_t i = 0; i < world->ModelCount(); ++i) model(*world->ModelByIndex(i), Pose3d::Zero, "", false);
  }
  std::printf("]\n");
  return errors.empty() ? 0 : 1;
}
