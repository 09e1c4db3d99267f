/**
 * The relations of which a person has one at a time, each with the other names that models, people and rules give it. The prompts
 * that ask for keys and profile fields name the same relations.
 */
const relations: Readonly<Record<string, string>> = {
  home: "city|current city|location|residence|place of residence|lives in|living in|home city|住处|居住地|所在地|现居地|所在城市|居住城市|城市|住在",
  workplace: "company|employer|works at|works for|job|work|work place|place of work|工作|公司|单位|工作单位|工作地点|雇主",
  occupation: "profession|job title|职业|职位",
  partner:
    "boyfriend|girlfriend|husband|wife|spouse|fiancé|fiancée|fiance|fiancee|对象|伴侣|男朋友|女朋友|男友|女友|丈夫|妻子|老公|老婆|恋人|配偶|name of boyfriend|name of girlfriend|name of husband|name of wife|name of fiance|name of fiancee|男朋友的名字|女朋友的名字|丈夫的名字|妻子的名字|老公的名字|老婆的名字",
  diet: "eating habits|饮食|饮食习惯",
  name: "full name|real name|姓名|名字|真名",
  nickname: "nick name|preferred name|昵称|称呼|外号",
  age: "年龄|岁数",
  birthday: "birth date|date of birth|生日|出生日期",
  phone: "phone number|number|mobile|mobile number|电话|电话号码|手机|手机号|手机号码",
  email: "e mail|email address|邮箱|电子邮箱|邮箱地址",
}

const byName = new Map(
  Object.entries(relations).flatMap(([relation, names]) => [relation, ...names.split("|")].map((name) => [name, relation])),
)

const separators = /[\s_\-.:'’]+/

/** The one name of a relation that has several: `home` for `City`, `lives_in` and 住处. Undefined for a relation of other kinds. */
export function knownRelation(name: string): string | undefined {
  return byName.get(name.normalize("NFKC").toLowerCase().split(separators).filter(Boolean).join(" "))
}
